package io.rowlock.sample.loan;

import io.rowlock.sample.work.Span;
import java.util.List;

/**
 * What came of one attempt to transfer or to repay.
 *
 * @param outcome how it ended
 * @param span when its work was going on; under the lock, if it took one
 */
record Deed(Outcome outcome, Span span) {

    enum Outcome {
        TRANSFERRED,
        REPAID,

        /** The lock was busy until the wait time was over. */
        GAVE_UP,

        /** The database or the lock failed; nothing was moved. */
        FAILED
    }

    static Deed undone(Outcome outcome) {
        return new Deed(outcome, Span.NEVER);
    }

    static List<Span> spans(List<Deed> deeds, Outcome outcome) {
        return deeds.stream()
                .filter(deed -> deed.outcome == outcome)
                .map(Deed::span)
                .toList();
    }
}
