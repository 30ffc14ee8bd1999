package io.rowlock.fault;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** A thread of a program that asked for a lock and may have to wait for it. */
final class Asked {
    private final CompletableFuture<Optional<Belief>> answer = new CompletableFuture<>();

    Asked(Supplier<Optional<Belief>> question) {
        Thread thread = new Thread(() -> {
            try {
                answer.complete(question.get());
            } catch (Throwable thrown) {
                answer.completeExceptionally(thrown);
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    /** @throws TimeoutException if it hangs */
    Optional<Belief> get(long millis) throws Exception {
        return answer.get(millis, TimeUnit.MILLISECONDS);
    }
}
