package io.rowlock.sample.pause;

import java.util.Objects;
import org.springframework.context.annotation.Profile;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;
import org.springframework.stereotype.Repository;

/** The rows of an account, before anything is withdrawn and after it was. */
@Repository
@Profile("!node")
class AccountBooks {

    private final JdbcClient database;

    AccountBooks(JdbcClient database) {
        this.database = database;
    }

    long open(long cents) {
        KeyHolder id = new GeneratedKeyHolder();
        database.sql("INSERT INTO sample_account (cents) VALUES (?)")
                .param(cents)
                .update(id);
        return Objects.requireNonNull(id.getKey()).longValue();
    }

    long balance(long accountId) {
        return database.sql("SELECT cents FROM sample_account WHERE id = ?")
                .param(accountId)
                .query(Long.class)
                .single();
    }

    long paidOut(long accountId) {
        return database.sql("SELECT COALESCE(SUM(cents), 0) FROM sample_withdrawal WHERE account_id = ?")
                .param(accountId)
                .query(Long.class)
                .single();
    }
}
