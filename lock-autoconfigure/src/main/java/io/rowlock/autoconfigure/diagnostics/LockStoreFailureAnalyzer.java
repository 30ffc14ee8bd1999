package io.rowlock.autoconfigure.diagnostics;

import io.rowlock.LockStoreException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains a start-up that failed because the lock tables could not be asked. */
final class LockStoreFailureAnalyzer extends AbstractFailureAnalyzer<LockStoreException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, LockStoreException cause) {
        return new FailureAnalysis(
                "Locks cannot be taken: " + cause.getMessage(),
                "Make sure that the database is reachable and writable and that it has Rowlock's tables "
                        + "(rowlock.schema.initialize). To start without locks, set rowlock.enabled to false.",
                cause);
    }
}
