package io.rowlock.sample.loan;

import java.time.Duration;
import java.util.List;

/**
 * The result of the transfers and repayments of a debt, counted from rows. Amounts are in cents.
 *
 * @param debtId the debt; its lock was {@code debt:} and this number
 * @param principal the amount that was owed before
 * @param transferred the transfers that were done, as the bookings have it
 * @param repaid the repayments that were done, as the bookings have it
 * @param paidOut the amount that the creditors were paid, as the bookings have it
 * @param outstanding the amount that is still owed, as the debt's row has it
 * @param claims the amount that the creditors can still claim, as the rows of the claims have it
 * @param lost the amount that claims have less than their bookings say
 * @param created the amount that claims have more than their bookings say
 * @param conserved true if every claim is what its bookings say, the claims add up to what is owed, and that and what
 *     was paid out to what was owed before
 * @param transfersAtOnce the most transfers that ran at the same time
 * @param overlaps the times that a repayment and a transfer ran at the same time
 * @param gaveUp the requests that did not get the lock in time
 * @param failed the requests that met a failing database or a lost lock
 * @param sql the statements that were sent to the database for one of them, in order
 */
record LoanResult(
        long debtId,
        boolean lock,
        long principal,
        int transferred,
        int repaid,
        long paidOut,
        long outstanding,
        long claims,
        long lost,
        long created,
        boolean conserved,
        int transfersAtOnce,
        int overlaps,
        int gaveUp,
        int failed,
        Duration duration,
        List<String> sql) {}
