package io.rowlock.sample.loan;

import java.time.Duration;
import java.util.List;

/**
 * What came of the transfers and repayments of a debt. Amounts are in cents.
 *
 * @param debtId the debt; its lock was {@code debt:} and this number
 * @param transfers how many transfers were wanted
 * @param repayments how many repayments were wanted
 * @param principal what was owed before
 * @param transferred how many transfers were done, as the bookings have it
 * @param repaid how many repayments were done, as the bookings have it
 * @param paidOut what the creditors were paid, as the bookings have it
 * @param outstanding what is still owed, as the debt's row has it
 * @param claims what the creditors can still claim, as the rows of the claims have it
 * @param lost what claims have less than their bookings say
 * @param created what claims have more than their bookings say
 * @param conserved whether every claim is what its bookings say, the claims add up to what is owed, and that and what
 *     was paid out to what was owed before
 * @param transfersAtOnce how many transfers ran at the same time at most
 * @param overlaps how many times a repayment and a transfer ran at the same time
 * @param gaveUp how many did not get the lock in time
 * @param failed how many met a failing database or a lost lock
 * @param sql what was sent to the database for one of them, in order
 */
record LoanResult(
        long debtId,
        int transfers,
        int repayments,
        int nodes,
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
