package io.rowlock.sample.start;

import java.io.IOException;
import java.util.Locale;

/** The port of the page cannot be listened on; the message says why. */
final class NoPortException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int port;

    private NoPortException(int port, String message, Exception cause) {
        super(message, cause);
        this.port = port;
    }

    static NoPortException of(int port, Exception refusal) {
        String why = String.valueOf(refusal.getMessage());
        boolean taken =
                refusal instanceof IOException && why.toLowerCase(Locale.ROOT).contains("in use");
        return new NoPortException(
                port,
                taken
                        ? "Port %d is in use.".formatted(port)
                        : "The page cannot be at port %d: %s.".formatted(port, why),
                refusal);
    }

    /** A port that may do. */
    int another() {
        return port >= 1024 && port < 65_535 ? port + 1 : 8081;
    }
}
