package io.rowlock.sample.loan;

import io.rowlock.sample.input.BadInputException;

/**
 * How to run the loan.
 *
 * @param transfers how many transfers between creditors there are, all at the same time
 * @param repayments how many repayments there are, at the same time as the transfers
 * @param nodes on how many nodes
 * @param lock whether they run under the debt's lock
 */
record LoanOrder(int transfers, int repayments, int nodes, boolean lock) {

    private static final int MAX_TRANSFERS = 1000;
    private static final int MAX_REPAYMENTS = 100;

    LoanOrder {
        BadInputException.check("transfers", transfers, MAX_TRANSFERS);
        BadInputException.check("repayments", repayments, MAX_REPAYMENTS);
    }
}
