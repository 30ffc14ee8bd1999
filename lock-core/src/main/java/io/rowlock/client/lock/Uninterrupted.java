package io.rowlock.client.lock;

import java.util.function.Supplier;

/** Keeps an interrupt for the program, where it would only make the pool or the driver give up. */
final class Uninterrupted implements AutoCloseable {
    private final boolean interrupted = Thread.interrupted();

    /** Gives the interrupt back. */
    @Override
    public void close() {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    static <T> T call(Supplier<T> statement) {
        try (Uninterrupted now = new Uninterrupted()) {
            return statement.get();
        }
    }
}
