package io.rowlock.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.client.RowlockClient;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A lock that was lost before its time while something that was sent for it is late. */
class JudgeTests {
    private final AtomicReference<Duration> remaining = new AtomicReference<>(Duration.ofMinutes(1));
    private final Judge judge = new Judge(new FaultPlan(Map.of()), true);

    private record Node(String owner) implements Program {
        @Override
        public RowlockClient client() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }

    private HeldLock lock(String lostBecause) {
        return (HeldLock) Proxy.newProxyInstance(
                HeldLock.class.getClassLoader(),
                new Class<?>[] {HeldLock.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "key" -> "k";
                    case "mode" -> LockMode.SHARED;
                    case "fencingToken" -> 1L;
                    case "remaining" -> remaining.get();
                    case "isHeld" -> !remaining.get().isZero();
                    case "ensureHeld" -> throw new LockLostException("k", 1, lostBecause);
                    default -> null;
                });
    }

    /** A run that hung is played again, alone; one that lost a lock is not. */
    @ParameterizedTest
    @CsvSource({
        "the database did not say whether it became shared, 1, hung",
        "the database did not say whether it became shared, 3600, live lease lost",
        "it was taken over, 1, live lease lost"
    })
    void isDoubtfulOnlyIfTheStoreWasAskedForHalfOfItsTime(String because, int secondsWhenLate, String kind) {
        Belief belief = judge.granted(new Node("n"), lock(because));
        judge.look();
        remaining.set(Duration.ofSeconds(secondsWhenLate));
        judge.mayBeLost(belief);
        remaining.set(Duration.ZERO);
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            judge.look();
            return !judge.violations().isEmpty();
        });
        List<String> violations = judge.violations();
        assertThat(violations).hasSize(1);
        assertThat(violations.get(0)).startsWith(kind + ": ");
    }
}
