package io.rowlock.store.jdbc.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.lang.StackWalker.StackFrame;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How many calls lie between a store and its statement if the key is free. */
class StatementDepthTests {
    private static final int MOST_FRAMES = 5;
    private static final TablePrefix PREFIX = new TablePrefix("rowlock_");

    private final List<List<String>> statements = new ArrayList<>();
    private final DataSource server = (DataSource) answering(DataSource.class);
    private final LockDatabase database = new LockDatabase(server, 8, Duration.ofSeconds(3));
    private final NamedLocks namedLocks = new NamedLocks(server, 4, Duration.ofSeconds(3));

    @AfterEach
    void close() {
        namedLocks.close();
    }

    @Test
    void leaseIsTakenAndReleasedInFewCalls() {
        judge(new LeaseStore(database, PREFIX, namedLocks, null));
    }

    @Test
    void leaseWithoutQueueIsTakenAndReleasedInFewCalls() {
        judge(new LeaseStore(database, PREFIX, null, null));
    }

    @Test
    void uniqueKeyIsTakenAndReleasedInFewCalls() {
        judge(new UniqueKeyStore(database, PREFIX, namedLocks));
    }

    private void judge(LockStore store) {
        LeaseRequest request =
                new LeaseRequest("a", LockMode.EXCLUSIVE, "me", Duration.ofSeconds(30), 7, Duration.ofSeconds(1), 0);
        Lease lease = ((Attempt.Granted) store.tryAcquire(request)).lease();
        assertThat(store.release(lease, Duration.ZERO)).isTrue();
        assertThat(statements)
                .hasSize(2)
                .allSatisfy(frames -> assertThat(frames).isNotEmpty().hasSizeLessThanOrEqualTo(MOST_FRAMES));
    }

    private Object answering(Class<?> type) {
        return Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> answer(method));
    }

    /** One row matches each statement, and the number it leaves is one of a key without readers. */
    private @Nullable Object answer(Method method) {
        if (method.getName().equals("executeUpdate")) {
            statements.add(ownFrames());
            return 1;
        }
        Class<?> type = method.getReturnType();
        if (type.isInterface()) {
            return answering(type);
        }
        if (type == boolean.class) {
            return method.getName().equals("next");
        }
        if (type == long.class) {
            return UniqueKeySql.LEAST_TOKEN * 2;
        }
        return type == int.class ? Integer.valueOf(0) : type == String.class ? "test" : null;
    }

    private static List<String> ownFrames() {
        return StackWalker.getInstance()
                .walk(frames -> frames.filter(StatementDepthTests::isOwn)
                        .map(frame -> frame.getClassName() + "." + frame.getMethodName())
                        .toList());
    }

    private static boolean isOwn(StackFrame frame) {
        return frame.getClassName().startsWith("io.rowlock.")
                && !frame.getClassName().startsWith(StatementDepthTests.class.getName());
    }
}
