package io.rowlock.autoconfigure.diagnostics;

import io.rowlock.annotation.InvalidLockAnnotationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints which lock annotation is wrong, and where. */
final class LockAnnotationFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLockAnnotationException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidLockAnnotationException cause) {
        return new FailureAnalysis(
                "A lock annotation cannot be used: " + cause.getMessage(),
                cause.remedy().orElse("Correct the annotation or the method. Nothing has been locked."),
                cause);
    }
}
