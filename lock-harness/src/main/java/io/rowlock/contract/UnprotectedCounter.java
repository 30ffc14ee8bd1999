package io.rowlock.contract;

import java.util.concurrent.locks.LockSupport;

/** A number that is read and written in two steps: without a lock around both, updates are lost. */
public interface UnprotectedCounter {

    /** @return the number last written */
    int read();

    /**
     * Replaces the number.
     *
     * @param value the new number
     */
    void write(int value);

    /** Loses updates of concurrent threads of this JVM. */
    final class InMemory implements UnprotectedCounter {
        private volatile int value;

        @Override
        public int read() {
            int seen = value;
            LockSupport.parkNanos(1_000);
            return seen;
        }

        @Override
        public void write(int value) {
            this.value = value;
        }
    }
}
