package io.rowlock.sample.start;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains a start that failed for want of a port. */
final class NoPortFailureAnalyzer extends AbstractFailureAnalyzer<NoPortException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, NoPortException cause) {
        return new FailureAnalysis(
                String.valueOf(cause.getMessage()),
                "Let SERVER_PORT name another one: SERVER_PORT=%d ./mvnw -DskipTests -pl sample-app -am spring-boot:run"
                        .formatted(cause.another()),
                cause);
    }
}
