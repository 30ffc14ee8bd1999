package io.rowlock.store.jdbc.rowlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockMode;
import io.rowlock.store.DaemonThreads;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.jdbc.session.LastThread;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** The renewal of several row locks, of which none is left here. */
class HeldRowLocksTests {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final HeldRowLocks held =
            new HeldRowLocks(Executors.newCachedThreadPool(DaemonThreads.numbered("never")), LIMIT);

    @Test
    void leasesAreAskedForOneAfterTheOtherIfNoThreadCanBegin() throws Exception {
        Lease one = new Lease("one", LockMode.EXCLUSIVE, 0, 1, "me");
        Lease other = new Lease("other", LockMode.EXCLUSIVE, 0, 2, "me");
        assertThat(LastThread.call(() -> held.renew(List.of(one, other), 1, LIMIT, LIMIT)))
                .isEqualTo(Map.of(one, Renewal.LOST, other, Renewal.LOST));
    }
}
