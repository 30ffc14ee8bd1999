package io.rowlock.sample.start;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Explains a start that failed because somebody else listens where the page should be. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class PortInUseFailureAnalyzer extends AbstractFailureAnalyzer<PortInUseException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, PortInUseException cause) {
        return new FailureAnalysis(
                "Port %d is in use.".formatted(cause.getPort()),
                "Stop what uses it, or let SERVER_PORT name another one: SERVER_PORT=%d ./mvnw -pl sample-app -am spring-boot:run"
                        .formatted(cause.getPort() + 1),
                cause);
    }
}
