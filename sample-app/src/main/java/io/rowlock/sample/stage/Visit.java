package io.rowlock.sample.stage;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One call of a service on a node, as its controller answers it.
 *
 * @param outcome how the call ended
 * @param result what the service returned
 * @param sentence why it returned nothing
 * @param sql what was sent to the database for it, in order
 */
public record Visit<T>(
        Outcome outcome, @Nullable T result, @Nullable String sentence, List<String> sql) {

    /** The end of a call. */
    public enum Outcome {
        /** The service did what it was called for. */
        DONE,
        /** The lock was busy until the wait time was over. */
        GAVE_UP,
        /** The database or the lock failed; nothing was committed. */
        FAILED,
        /** The node did not answer, perhaps because it was killed. */
        UNANSWERED
    }

    static <T> Visit<T> unanswered(String sentence) {
        return new Visit<>(Outcome.UNANSWERED, null, sentence, List.of());
    }
}
