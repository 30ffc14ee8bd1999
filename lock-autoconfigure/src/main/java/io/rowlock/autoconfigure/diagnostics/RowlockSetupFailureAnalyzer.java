package io.rowlock.autoconfigure.diagnostics;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints what a {@link RowlockSetupException} has to say. */
final class RowlockSetupFailureAnalyzer extends AbstractFailureAnalyzer<RowlockSetupException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, RowlockSetupException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
    }
}
