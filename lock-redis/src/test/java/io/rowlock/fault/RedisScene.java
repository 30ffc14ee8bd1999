package io.rowlock.fault;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.resource.ClientResources;
import io.rowlock.store.redis.RedisInsides;
import io.rowlock.test.redis.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The server of one run, and a proxy between it and the subject. */
final class RedisScene implements Scene {
    /** Longer than the subject waits for an answer. */
    private static final long PAUSE_MILLIS = Stage.SHORT.toMillis() + 300;

    private final Place place;
    private final Runnable end;
    private final RespProxy proxy;
    private final RedisProgram subject;

    /** Where the locks of a run are. */
    record Place(RedisSetup setup, String key, RedisServer server, ClientResources resources) {
        /** @param uri leads to the server */
        RedisProgram program(String name, String uri, Duration patience) {
            return new RedisProgram(name + "-" + key, uri, resources, setup, patience);
        }
    }

    /** @param end gives the server back */
    RedisScene(Place place, FaultPlan plan, Duration patience, Runnable end) throws IOException {
        this.place = place;
        this.end = end;
        directly(commands -> RedisInsides.scripts().forEach(commands::scriptLoad)); // runs are to differ in faults only
        proxy = new RespProxy(place.server(), plan, this::pause);
        subject = place.program("subject", proxy.uri(), patience);
        proxy.begin();
    }

    @Override
    public Program subject() {
        return subject;
    }

    @Override
    public Program other(String name) {
        return place.program(name, place.server().uri(), Stage.LONG);
    }

    /** Returns when the server stands still; it goes on by itself. */
    private void pause() {
        signal("STOP");
        CompletableFuture.delayedExecutor(PAUSE_MILLIS, TimeUnit.MILLISECONDS).execute(() -> signal("CONT"));
    }

    private void signal(String signal) {
        try {
            new ProcessBuilder(
                            "kill", "-" + signal, String.valueOf(place.server().pid()))
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** As after a restart, which takes the scripts with it. */
    void flushScripts() {
        directly(RedisCommands::scriptFlush);
    }

    private void directly(Consumer<RedisCommands<String, String>> work) {
        RedisClient client =
                RedisClient.create(place.resources(), place.server().uri());
        try (var connection = client.connect()) {
            work.accept(connection.sync());
        } finally {
            client.shutdown(0, 1, TimeUnit.SECONDS);
        }
    }

    @Override
    public List<String> leaks() {
        int waiting = subject.waiting();
        return waiting == 0 ? List.of() : List.of(waiting + " waiters");
    }

    @Override
    public void close() {
        proxy.close();
        signal("CONT");
        end.run();
    }
}
