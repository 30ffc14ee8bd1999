package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rowlock.annotation.DistributedLock;
import io.rowlock.leader.LeaderOnly;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.Ordered;
import org.springframework.util.ReflectionUtils;

/** Calls of woven methods while no application runs, or several do. */
class WovenLocksTests {
    /** Contexts that Spring's test framework keeps for other tests. */
    private final List<WovenLocks> ofOthers = List.copyOf(WovenLocks.RUNNING);

    @BeforeEach
    void hideOthers() {
        WovenLocks.RUNNING.removeAll(ofOthers);
    }

    @AfterEach
    void showOthers() {
        WovenLocks.RUNNING.addAll(ofOthers);
    }

    @DistributedLock("jobs")
    static class Jobs implements Ordered {
        public void run() {}

        @Override
        public int getOrder() {
            return 5;
        }

        @Override
        public String toString() {
            return "jobs";
        }

        @Override
        public int hashCode() {
            return 7;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other == this;
        }
    }

    static class Led implements SmartLifecycle {
        @Override
        public void start() {}

        @Override
        public void stop() {}

        @Override
        @LeaderOnly("role")
        public boolean isRunning() {
            return true;
        }

        @Override
        @DistributedLock("text")
        public String toString() {
            return "led";
        }
    }

    private static @Nullable Object call(Object target, String name, Object... arguments) throws Throwable {
        Class<?>[] types = arguments.length == 0 ? new Class<?>[0] : new Class<?>[] {Object.class};
        return WovenLocks.around(
                target, ReflectionUtils.findMethod(target.getClass(), name, types), arguments, () -> name + " ran");
    }

    private static void callsWithoutALock(Object jobs) throws Throwable {
        assertThat(call(jobs, "toString")).isEqualTo("toString ran");
        assertThat(call(jobs, "hashCode")).isEqualTo("hashCode ran");
        assertThat(call(jobs, "equals", jobs)).isEqualTo("equals ran");
        assertThat(call(jobs, "getOrder")).isEqualTo("getOrder ran");
        assertThatIllegalStateException().isThrownBy(() -> call(jobs, "run"));
    }

    @Test
    void whatNeverHasALockIsCalledThoughNoApplicationRuns() throws Throwable {
        callsWithoutALock(new Jobs());
    }

    @Test
    void whatNeverHasALockIsCalledThoughSeveralApplicationsRun() throws Throwable {
        try (GuardedContext first = new GuardedContext(Jobs.class);
                GuardedContext second = new GuardedContext(Jobs.class)) {
            callsWithoutALock(new Jobs());
            assertThat(first.client.log).isEqualTo(second.client.log).isEmpty();
        }
    }

    @Test
    void whatIsAnnotatedItselfIsNotCalledWhileNoApplicationRuns() {
        for (String method : new String[] {"toString", "isRunning"}) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> call(new Led(), method))
                    .withMessageContaining("no application that acquires locks runs");
        }
    }
}
