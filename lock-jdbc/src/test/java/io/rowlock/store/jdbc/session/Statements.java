package io.rowlock.store.jdbc.session;

import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** Counts what a session was asked. */
public final class Statements {
    private Statements() {}

    public static long of(DataSource oneConnection, Runnable work) {
        long before = questions(oneConnection);
        work.run();
        return questions(oneConnection) - before - 1; // the second question about the questions
    }

    private static long questions(DataSource oneConnection) {
        return new JdbcTemplate(oneConnection)
                .query("SHOW SESSION STATUS LIKE 'Questions'", (row, number) -> row.getLong(2))
                .get(0);
    }
}
