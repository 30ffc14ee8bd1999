package io.rowlock.store.jdbc.session;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ConnectionsTests {
    private static final int FAILURES = 3;

    private final AtomicInteger aborts = new AtomicInteger();
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Its pool would lack it for good. */
    @Test
    void connectionWhoseEndFailsSeveralTimesIsEndedAllTheSame() {
        Connection failing = (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("abort") && aborts.incrementAndGet() <= FAILURES) {
                        throw new StackOverflowError();
                    }
                    if (method.getName().equals("close")) {
                        closed.set(true);
                    }
                    return null;
                });

        assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> Connections.giveBack(failing, false));

        await().atMost(Duration.ofSeconds(30)).untilTrue(closed);
    }
}
