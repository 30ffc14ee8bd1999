package io.rowlock.sample.loan;

import java.util.Collections;
import java.util.List;

/**
 * The transfers and repayments of a debt that one node does.
 *
 * @param debtId the debt
 * @param errands what to do, in order
 * @param lock whether under the debt's lock
 */
record LoanShare(long debtId, List<Errand> errands, boolean lock) {

    /**
     * A transfer or a repayment.
     *
     * @param transfer what to transfer; of a repayment only the amount counts
     * @param repayment whether it is a repayment
     */
    record Errand(Transfer transfer, boolean repayment) {}

    /**
     * What came of them.
     *
     * @param deeds how it ended for each
     * @param sql what was sent to the database for one of them, in order
     */
    record Done(List<Deed> deeds, List<String> sql) {

        static Done lost(int errands) {
            return new Done(Collections.nCopies(errands, Deed.undone(Deed.Outcome.FAILED)), List.of());
        }
    }
}
