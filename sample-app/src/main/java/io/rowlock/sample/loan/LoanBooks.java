package io.rowlock.sample.loan;

import io.rowlock.sample.stage.Books;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/** The rows of a debt, before its transfers and repayments start and after they have ended. */
@Repository
class LoanBooks {

    private static final String BALANCE = """
            SELECT MAX(debt.outstanding) AS outstanding,
                   SUM(claim.cents) AS claims,
                   SUM(booked.paid_out) AS paid_out,
                   SUM(GREATEST(booked.cents - claim.cents, 0)) AS lost,
                   SUM(GREATEST(claim.cents - booked.cents, 0)) AS created,
                   SUM(booked.bought) AS transferred,
                   MAX(booked.repaid) AS repaid
            FROM sample_debt debt
            JOIN sample_claim claim ON claim.debt_id = debt.id
            JOIN (SELECT creditor,
                         SUM(cents) AS cents,
                         SUM(IF(reason = 'REPAYMENT', -cents, 0)) AS paid_out,
                         SUM(reason = 'REPAYMENT') AS repaid,
                         SUM(reason = 'TRANSFER' AND cents > 0) AS bought
                  FROM sample_booking
                  WHERE debt_id = :debt
                  GROUP BY creditor) booked ON booked.creditor = claim.creditor
            WHERE debt.id = :debt
            """;

    private final JdbcClient database;
    private final Books books;

    LoanBooks(JdbcClient database, Books books) {
        this.database = database;
        this.books = books;
    }

    /**
     * Adds a debt and returns its id. Creditors 0 to {@code creditors - 1} have a claim of {@code cents} each.
     */
    @Transactional
    public long addDebt(int creditors, long cents) {
        long id = books.add("INSERT INTO sample_debt (outstanding) VALUES (?)", creditors * cents);
        for (int creditor = 0; creditor < creditors; creditor++) {
            database.sql("INSERT INTO sample_claim (debt_id, creditor, cents) VALUES (?, ?, ?)")
                    .params(id, creditor, cents)
                    .update();
            database.sql("INSERT INTO sample_booking (debt_id, creditor, reason, cents) VALUES (?, ?, 'LOAN', ?)")
                    .params(id, creditor, cents)
                    .update();
        }
        return id;
    }

    Balance balance(long debtId) {
        return database.sql(BALANCE).param("debt", debtId).query(Balance.class).single();
    }

    /**
     * A debt as its rows have it, in cents. Bookings are only ever added, so they say what the claims should be.
     *
     * @param outstanding the amount that is still owed
     * @param claims the sum of all claims
     * @param paidOut the amount that the creditors were paid
     * @param lost the amount that creditors have less than their bookings say
     * @param created the amount that creditors have more than their bookings say
     * @param transferred the transfers that were booked
     * @param repaid the repayments that were booked
     */
    record Balance(long outstanding, long claims, long paidOut, long lost, long created, int transferred, int repaid) {

        /** Tells if no money came or went, where {@code principal} was owed before. */
        boolean addsUpTo(long principal) {
            return lost == 0 && created == 0 && claims == outstanding && outstanding + paidOut == principal;
        }
    }
}
