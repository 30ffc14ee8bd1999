package io.rowlock.sample.pause;

import io.rowlock.sample.stage.Outbox;
import io.rowlock.sample.stage.Span;
import java.time.Duration;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The transaction of a withdrawal: it reads the balance, waits for a slow approval, and writes the balance back. */
@Repository
class Ledger {

    static final String APPROVAL = "approval begins";
    private static final Duration SLOW = Duration.ofSeconds(2);

    private final JdbcClient database;
    private final Outbox outbox;

    Ledger(JdbcClient database, Outbox outbox) {
        this.database = database;
        this.outbox = outbox;
    }

    long payOut(long accountId, long cents) {
        long balance = database.sql("SELECT cents FROM sample_account WHERE id = ?")
                .param(accountId)
                .query(Long.class)
                .single();
        outbox.happened(APPROVAL, Map.of("cents", cents));
        Span.pass(SLOW); // meanwhile the whole process may be made to stand still, by commands that take their time
        database.sql("UPDATE sample_account SET cents = ? WHERE id = ?")
                .params(balance - cents, accountId)
                .update();
        database.sql("INSERT INTO sample_withdrawal (account_id, cents) VALUES (?, ?)")
                .params(accountId, cents)
                .update();
        return balance - cents;
    }
}
