package io.rowlock.sample.pause;

import io.rowlock.annotation.DistributedLock;
import org.springframework.context.annotation.Profile;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Pays money out of accounts, on every node. A withdrawal reads the balance, waits for a slow approval, and writes
 * the balance back.
 */
@Service
@Profile("node")
class Accounts {

    private final JdbcClient database;
    private final Cashier cashier;

    Accounts(JdbcClient database, Cashier cashier) {
        this.database = database;
        this.cashier = cashier;
    }

    /**
     * Withdraws, under the account's lock. If the lock is lost before the commit, because its node stood still for longer
     * than the ttl, the commit is refused.
     */
    @DistributedLock(name = "account", key = "#accountId", ttl = "3s", waitTime = "1m")
    @Transactional
    public void withdraw(long accountId, long cents) {
        payOut(accountId, cents);
    }

    /** The same without the lock. */
    @Transactional
    public void withdrawWithoutLock(long accountId, long cents) {
        payOut(accountId, cents);
    }

    private void payOut(long accountId, long cents) {
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
