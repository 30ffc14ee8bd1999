package io.rowlock.autoconfigure.application;

import io.rowlock.annotation.DistributedLock;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** A bean that inserts a row under a lock, in a transaction. */
public class Additions {
    public static final String TABLE = "CREATE TABLE work (id INT)";

    private final JdbcTemplate jdbc;

    public Additions(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /** @param during what happens before the commit */
    @DistributedLock("add")
    @Transactional
    public void add(Runnable during) {
        insert(during);
    }

    protected final void insert(Runnable during) {
        jdbc.update("INSERT INTO work VALUES (1)");
        during.run();
    }

    public static void clear(FreshSchema schema) {
        schema.jdbc().execute("DELETE FROM work");
    }

    public static int in(FreshSchema schema) {
        return schema.jdbc().queryForObject("SELECT COUNT(*) FROM work", Integer.class);
    }
}
