package io.rowlock.sample.input;

import java.util.Collection;

/** Input that is out of its limits; the message is one sentence for its sender. */
public final class BadInputException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    BadInputException(String message) {
        super(message);
    }

    public static BadInputException unknown(String what, String value, Collection<String> known) {
        return new BadInputException("There is no %s \"%s\"; known: %s."
                .formatted(what, value, known.isEmpty() ? "none" : String.join(", ", known)));
    }

    public static void check(String name, int value, int max) {
        if (value < 1 || value > max) {
            throw new BadInputException("%s must be 1 to %d, but is %d.".formatted(name, max, value));
        }
    }
}
