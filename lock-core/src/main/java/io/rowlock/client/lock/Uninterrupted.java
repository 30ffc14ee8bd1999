package io.rowlock.client.lock;

import java.util.function.Supplier;

/** Keeps an interrupt for the program, where it would only make the pool or the driver give up. */
final class Uninterrupted {
    private Uninterrupted() {}

    static <T> T call(Supplier<T> statement) {
        boolean interrupted = Thread.interrupted();
        try {
            return statement.get();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
