package io.rowlock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PatientWaitsTests {
    /** Awaitility's own limit is ten seconds. */
    @Test
    @Tag("full")
    void waitLastsUntilABusyMachineIsReady() {
        long start = System.nanoTime();
        await().until(() -> System.nanoTime() - start > TimeUnit.SECONDS.toNanos(11));
        assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.SECONDS.toNanos(11));
    }
}
