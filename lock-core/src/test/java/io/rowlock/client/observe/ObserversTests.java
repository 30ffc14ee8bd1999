package io.rowlock.client.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockEvent;
import io.rowlock.LockListener;
import io.rowlock.LockMode;
import io.rowlock.client.request.Ticker;
import io.rowlock.store.Lease;
import io.rowlock.store.LockLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whom the observers of a client tell, in which order, and what does not stop them. */
class ObserversTests {
    private static final ObservedLock LOCK = new ObservedLock("k", "n", LockMode.EXCLUSIVE, "memory");
    private static final Lease LEASE = new Lease("k", LockMode.EXCLUSIVE, 0, 7, "me");

    private final List<String> told = new ArrayList<>();
    private boolean failing;

    private void tell(String what) {
        told.add(what);
        if (failing) {
            throw new IllegalStateException("for the test");
        }
    }

    private final LockLog log = (strategy, lease, token, waited) -> {
        tell("log granted");
        return new LockLog.Entry() {
            @Override
            public void released() {
                tell("log released");
            }

            @Override
            public void lost() {
                tell("log lost");
            }
        };
    };
    private final LockInstrumentation meters = new LockInstrumentation() {
        @Override
        public Measurement holding(ObservedLock lock, long fencingToken) {
            tell("meters holding");
            return new Measurement() {
                @Override
                public void ended(Outcome how, long token) {
                    tell("meters " + how.name().toLowerCase(Locale.ROOT));
                }

                @Override
                public void failed(Throwable failure) {
                    tell("meters failed");
                }
            };
        }
    };
    private final LockListener listener = new LockListener() {
        @Override
        public void onEvent(LockEvent event) {
            tell("listener " + event.type());
        }

        @Override
        public boolean mayBlock() {
            return false;
        }
    };
    private final Observers observers = new Observers(Ticker.SYSTEM, log, meters, List.of(listener));

    @AfterEach
    void close() {
        observers.close();
    }

    private Observation held() {
        Observation observation = new Observation(observers, LOCK);
        observation.acquired(LEASE, 7, Duration.ZERO);
        return observation;
    }

    private static void release(Observation held) {
        held.released(LEASE, 7, LockMode.EXCLUSIVE);
    }

    @Test
    void logIsToldFirstThenTheMetersThenTheListeners() {
        release(held());
        assertThat(told)
                .containsExactly(
                        "log granted",
                        "meters holding",
                        "listener ACQUIRED",
                        "log released",
                        "meters released",
                        "listener RELEASED");
    }

    @Test
    void whatOneThrowsHarmsNoOther() {
        Observation hold = held();
        told.clear();
        failing = true;
        release(hold);
        assertThat(told).containsExactly("log released", "meters released", "listener RELEASED");
    }

    @Test
    void firstEndCounts() {
        Observation hold = held();
        told.clear();
        hold.lost();
        release(hold);
        hold.lost();
        hold.unanswered(new IllegalStateException());
        assertThat(told).containsExactly("log lost", "meters lost");
    }

    @Test
    void releaseMayFollowOneWithoutAnAnswerButIsMeasuredOnce() {
        Observation hold = held();
        told.clear();
        hold.unanswered(new IllegalStateException());
        release(hold);
        hold.lost();
        assertThat(told).containsExactly("meters failed", "log released", "listener RELEASED");
    }
}
