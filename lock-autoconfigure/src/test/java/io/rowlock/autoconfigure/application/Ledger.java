package io.rowlock.autoconfigure.application;

import io.rowlock.annotation.DistributedLock;
import java.util.concurrent.CompletableFuture;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** A service that stores an entry under a lock and in a transaction, and lets a test look on. */
public abstract class Ledger {
    public static final String KEY = "ledger:";

    private final JdbcTemplate jdbc;

    Ledger(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @DistributedLock(name = "ledger", key = "#key", waitTime = "0s")
    @Transactional
    public void store(String key, int id, Runnable during) {
        insert(id);
        during.run();
    }

    @DistributedLock(name = "ledger", key = "#key", waitTime = "0s")
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void storeApart(String key, int id) {
        insert(id);
    }

    @DistributedLock(name = "ledger", key = "#key", waitTime = "0s")
    @Transactional(readOnly = true)
    public long read(String key, Runnable during) {
        during.run();
        return written();
    }

    /** Stores it in the caller's transaction. What it returns completes later. */
    @DistributedLock(name = "ledger", key = "#key", waitTime = "0s")
    public CompletableFuture<String> storeAndGoOn(String key, int id, CompletableFuture<String> rest) {
        insert(id);
        return rest;
    }

    abstract void insert(int id);

    /** How many entries the transaction has sent to the database, as it sees them itself. */
    public long written() {
        return jdbc.queryForObject("SELECT COUNT(*) FROM entry", Long.class);
    }

    public static class JdbcLedger extends Ledger {
        private final JdbcTemplate jdbc;

        JdbcLedger(JdbcTemplate jdbc) {
            super(jdbc);
            this.jdbc = jdbc;
        }

        @Override
        void insert(int id) {
            jdbc.update("INSERT INTO entry VALUES (?)", id);
        }
    }

    public static class JpaLedger extends Ledger {
        private final EntryRepository entries;

        JpaLedger(JdbcTemplate jdbc, EntryRepository entries) {
            super(jdbc);
            this.entries = entries;
        }

        @Override
        void insert(int id) {
            entries.save(new Entry(id));
        }
    }
}
