package io.rowlock.sample.pause;

import org.springframework.context.annotation.Profile;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** What a withdrawal does in its transaction: it reads the balance, waits for a slow approval, and writes the balance back. */
@Repository
@Profile("node")
class Ledger {

    private final JdbcClient database;
    private final Cashier cashier;

    Ledger(JdbcClient database, Cashier cashier) {
        this.database = database;
        this.cashier = cashier;
    }

    void payOut(long accountId, long cents) {
        long balance = database.sql("SELECT cents FROM sample_account WHERE id = ?")
                .param(accountId)
                .query(Long.class)
                .single();
        cashier.count(cents); // takes his time; meanwhile the whole process may be made to stand still
        database.sql("UPDATE sample_account SET cents = ? WHERE id = ?")
                .params(balance - cents, accountId)
                .update();
        database.sql("INSERT INTO sample_withdrawal (account_id, cents) VALUES (?, ?)")
                .params(accountId, cents)
                .update();
    }
}
