package io.rowlock.test;

import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.TestSchema;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The schema of one run of one test class, created when first needed: by JUnit or by Spring, whichever comes first.
 * Thread-safe.
 */
public final class ClassSchema implements AutoCloseable {

    private static final Map<Class<?>, ClassSchema> RUNNING = new ConcurrentHashMap<>();

    private final Class<?> owner;
    private final DatabaseServer server;
    private final Deque<Runnable> users = new ArrayDeque<>(); // guarded by this
    private @Nullable TestSchema schema; // guarded by this

    private ClassSchema(Class<?> owner, DatabaseServer server) {
        this.owner = owner;
        this.server = server;
    }

    static ClassSchema of(Class<?> testClass) {
        return find(testClass).orElseThrow(() -> new IllegalStateException("No @OnServer on " + testClass.getName()));
    }

    /** Empty if the class does not carry {@link OnServer}. */
    public static Optional<ClassSchema> find(Class<?> testClass) {
        return ServerChoice.of(testClass)
                .map(choice -> RUNNING.computeIfAbsent(choice.owner(), owner -> {
                    DatabaseServer server =
                            choice.server().orElseThrow(() -> new IllegalStateException(choice.explanation()));
                    return new ClassSchema(owner, server);
                }));
    }

    DatabaseServer server() {
        return server;
    }

    synchronized TestSchema get() {
        if (schema == null) {
            schema = server.createSchema();
        }
        return schema;
    }

    /** Has something that works on the schema stopped before it is dropped. */
    synchronized void stopBeforeDrop(Runnable user) {
        users.push(user);
    }

    @Override
    public synchronized void close() {
        RUNNING.remove(owner, this);
        users.forEach(Runnable::run);
        if (schema != null) {
            schema.drop();
        }
    }
}
