package io.rowlock.store.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.client.Other;
import io.rowlock.store.NoConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class WaiterLimitTests {

    private final WaiterLimit limit = new WaiterLimit(1, Duration.ofSeconds(5));

    @Test
    void threadThatAsksAgainAtOnceDoesNotOvertakeAWaiter() throws Exception {
        int judged = 0;
        for (int round = 0; round < 50; round++) {
            List<String> order = new CopyOnWriteArrayList<>();
            limit.enter();
            Other<Boolean> waiter = Other.does(() -> {
                try {
                    limit.enter();
                } catch (NoConnectionException itsTimeIsOver) {
                    return false; // the thread that is to leave stood still for a second
                }
                order.add("waiter");
                limit.leave();
                return true;
            });
            waiter.awaitWaiting();
            limit.leave();
            limit.enter();
            order.add("newcomer");
            limit.leave();
            if (waiter.get()) {
                assertThat(order).containsExactly("waiter", "newcomer");
                judged++;
            }
        }
        assertThat(judged).isPositive();
    }
}
