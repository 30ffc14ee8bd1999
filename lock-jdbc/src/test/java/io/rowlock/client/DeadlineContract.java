package io.rowlock.client;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.client.Node.Logging;
import io.rowlock.servers.Cable;
import io.rowlock.test.Stopwatch;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;

/** An acquire returns no later than its wait time and one query time-out, whatever the database and the network do. */
abstract class DeadlineContract extends ClientContract {
    /** For a machine that is busy with something else. */
    private static final Duration SLACK = ofMillis(1_500);

    Cable cable;

    @BeforeEach
    void startBehindACable() throws IOException {
        cable = new Cable(schema.jdbcUrl());
        node = closing(new Node(Pools.starter(schema, cable.url()), "far", Logging.OFF));
        closing(cable);
    }

    static LockRequest exclusive(Duration waitTime, String... keys) {
        return LockRequest.exclusive(keys).withWaitTime(waitTime);
    }

    /** @return how the attempt ended, in time */
    Throwable failure(LockRequest request) throws Exception {
        Stopwatch time = Stopwatch.start();
        Throwable failure = starting(request).failure();
        assertInTime(time, request);
        return failure;
    }

    Other<HeldLock> starting(LockRequest request) {
        return Other.does(() -> node.client.acquire(request));
    }

    static void assertInTime(Stopwatch time, LockRequest request) {
        assertThat(time.taken())
                .isLessThan(request.waitTime().plus(Node.QUERY_TIMEOUT).plus(SLACK));
    }

    void connect() {
        connect("a");
    }

    void connect(String key) {
        node.take(key).close();
    }
}
