package io.rowlock.fault;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.test.database.TestSchema;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/** Kills sessions of the server, on connections that meet no fault. Thread-safe. */
final class Sessions implements AutoCloseable {
    final JdbcTemplate sql;
    private final HikariDataSource pool = new HikariDataSource();

    Sessions(TestSchema schema) {
        pool.setJdbcUrl(schema.jdbcUrl());
        pool.setUsername(schema.username());
        pool.setPassword(schema.password());
        pool.setMaximumPoolSize(8);
        pool.setMinimumIdle(1);
        pool.setConnectionTimeout(20_000);
        sql = new JdbcTemplate(pool);
    }

    void kill(long session) {
        try {
            sql.execute("KILL " + session);
        } catch (DataAccessException e) {
            // it has ended by itself
        }
    }

    @Override
    public void close() {
        pool.close();
    }
}
