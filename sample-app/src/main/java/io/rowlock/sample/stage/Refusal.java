package io.rowlock.sample.stage;

import java.util.Collection;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/** A request that is not carried out; the reason is one sentence for whoever sent it. */
public final class Refusal extends ResponseStatusException {

    private static final long serialVersionUID = 1L;

    Refusal(HttpStatus status, String reason) {
        super(status, reason);
    }

    /** Refuses a number that is not 1 to {@code max}. */
    public static void check(String name, int value, int max) {
        if (value < 1 || value > max) {
            throw new Refusal(HttpStatus.BAD_REQUEST, "%s must be 1 to %d, but is %d.".formatted(name, max, value));
        }
    }

    /** Refuses a value that is none of the known ones. */
    public static void checkKnown(String what, String value, Collection<String> known) {
        if (!known.contains(value)) {
            throw new Refusal(
                    HttpStatus.BAD_REQUEST,
                    "There is no %s \"%s\"; known: %s.".formatted(what, value, String.join(", ", known)));
        }
    }

    /** Returns the refusal of a request that is right, but that the nodes cannot meet as they are. */
    public static Refusal conflict(String reason) {
        return new Refusal(HttpStatus.CONFLICT, reason);
    }
}
