package io.rowlock.sample.loan;

import io.rowlock.annotation.ReadLock;
import io.rowlock.annotation.WriteLock;
import io.rowlock.sample.stage.Span;
import java.time.Duration;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Keeps the claims on debts. Transfers change two claims where they are, so any number of them may run
 * together. A repayment reads all claims, has the money paid out and writes the claims back: it would undo every
 * transfer, and every other repayment, that came between.
 */
@Service
class Bank {

    private static final Duration NOTARY = Duration.ofMillis(2);
    private static final Duration PAYOUT = Duration.ofMillis(5);

    private final JdbcClient database;

    Bank(JdbcClient database) {
        this.database = database;
    }

    /**
     * Moves a part of a claim from the seller to the buyer, under the debt's shared lock: together with other transfers, never with a
     * repayment.
     *
     * @return the time of the transfer
     */
    @ReadLock(name = "debt", key = "#debtId", waitTime = "2m")
    @Transactional
    public Span transfer(long debtId, int seller, int buyer, long cents) {
        return move(debtId, seller, buyer, cents);
    }

    /** Moves a part of a claim without the lock. */
    @Transactional
    public Span transferWithoutLock(long debtId, int seller, int buyer, long cents) {
        return move(debtId, seller, buyer, cents);
    }

    /**
     * Pays every creditor a part in proportion to the claim, under the debt's exclusive lock.
     *
     * @return the time of the repayment
     */
    @WriteLock(name = "debt", key = "#debtId", waitTime = "2m")
    @Transactional
    public Span repay(long debtId, long cents) {
        return payOut(debtId, cents);
    }

    /** Pays every creditor without the lock. */
    @Transactional
    public Span repayWithoutLock(long debtId, long cents) {
        return payOut(debtId, cents);
    }

    private Span move(long debtId, int seller, int buyer, long cents) {
        long start = Span.now();
        Span.pass(NOTARY);
        database.sql("""
                        UPDATE sample_claim SET cents = cents + IF(creditor = ?, ?, ?)
                        WHERE debt_id = ? AND creditor IN (?, ?)
                        """)
                .params(buyer, cents, -cents)
                .params(debtId, seller, buyer)
                .update();
        book(debtId, seller, "TRANSFER", -cents);
        book(debtId, buyer, "TRANSFER", cents);
        return Span.since(start);
    }

    private Span payOut(long debtId, long cents) {
        long start = Span.now();
        long outstanding = database.sql("SELECT outstanding FROM sample_debt WHERE id = ?")
                .param(debtId)
                .query(Long.class)
                .single();
        List<Claim> claims = database.sql(
                        "SELECT creditor, cents FROM sample_claim WHERE debt_id = ? ORDER BY creditor")
                .param(debtId)
                .query(Claim.class)
                .list();
        Span.pass(PAYOUT);
        long total = claims.stream().mapToLong(Claim::cents).sum();
        long before = 0;
        for (Claim claim : claims) {
            long after = before + claim.cents();
            long part = cents * after / total - cents * before / total; // rounded so that the parts add up
            database.sql("UPDATE sample_claim SET cents = ? WHERE debt_id = ? AND creditor = ?")
                    .params(claim.cents() - part, debtId, claim.creditor())
                    .update();
            book(debtId, claim.creditor(), "REPAYMENT", -part);
            before = after;
        }
        database.sql("UPDATE sample_debt SET outstanding = ? WHERE id = ?")
                .params(outstanding - cents, debtId)
                .update();
        return Span.since(start);
    }

    private void book(long debtId, int creditor, String reason, long cents) {
        database.sql("INSERT INTO sample_booking (debt_id, creditor, reason, cents) VALUES (?, ?, ?, ?)")
                .params(debtId, creditor, reason, cents)
                .update();
    }

    private record Claim(int creditor, long cents) {}
}
