package io.rowlock.fault;

import io.rowlock.DistributedLockException;
import io.rowlock.FencingTokens;
import io.rowlock.HeldLock;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.StaleReadException;
import io.rowlock.client.transaction.PreparedLock;
import io.rowlock.store.jdbc.fence.SeenTokens;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** One number a key, changed by reading it and writing it back, so that two that do so at once lose a change. Thread-safe. */
final class Account {
    private static final String COMMITTED = "committed";

    private final JdbcTemplate judge;
    private final Map<String, AtomicInteger> committed = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> uncertain = new ConcurrentHashMap<>();

    /** The greatest tokens of calls that have committed. */
    private final Map<String, AtomicLong> latestCalls = new ConcurrentHashMap<>();

    Account(JdbcTemplate judge) {
        this.judge = judge;
        judge.execute("CREATE TABLE IF NOT EXISTS account (id VARCHAR(255) PRIMARY KEY, number INT NOT NULL)");
    }

    void open(String key) {
        judge.update("INSERT INTO account VALUES (?, 0)", key);
    }

    /**
     * Adds one in a transaction of that program.
     *
     * @param between what happens between reading and writing
     */
    String add(SqlProgram program, String key, Stage.Action between) throws Exception {
        return add(program, key, () -> {}, between);
    }

    /**
     * Adds one in a transaction of that program that repeats its reads, and takes the lock when it is open already.
     *
     * @param before what happens in the transaction before that
     */
    String addUnderLateLock(SqlProgram program, LockRequest request, String key, Stage.Action before) throws Exception {
        AtomicReference<HeldLock> lock = new AtomicReference<>();
        try {
            Stage.Action first = () -> {
                before.run();
                lock.set(program.client().acquire(request));
            };
            return add(program, key, TransactionDefinition.ISOLATION_REPEATABLE_READ, first, () -> {});
        } finally {
            if (lock.get() != null) {
                lock.get().close();
            }
        }
    }

    /** Reads in the transaction that the thread has open. */
    void look(SqlProgram program, String key) {
        number(program.sql, key);
    }

    /**
     * Adds one for a call that came with a token.
     *
     * @param violated is notified if it commits though a call with a later token had done so before it came
     */
    String addForCall(SqlProgram program, String key, long token, Judge violated) throws Exception {
        AtomicLong latest = latestCalls.computeIfAbsent(key, unknown -> new AtomicLong());
        long before = latest.get();
        FencingTokens tokens = new SeenTokens(program.pools.application, program.prefix);
        String outcome = add(
                program,
                key,
                TransactionDefinition.ISOLATION_REPEATABLE_READ,
                () -> tokens.require(key, token),
                () -> {});
        if (outcome.equals(COMMITTED)) {
            latest.accumulateAndGet(token, Math::max);
            if (token < before) {
                violated.violation("late call", "%d has committed after %d".formatted(token, before));
            }
        }
        return outcome;
    }

    /** Adds one in a transaction of that program whose first statement takes the lock. */
    String addLocked(SqlProgram program, LockRequest request, String key, Stage.Action between) throws Exception {
        try (PreparedLock prepared = program.client().prepare(request)) {
            return add(program, key, prepared::acquire, between);
        } catch (DistributedLockException e) {
            return "not prepared: " + e.getMessage();
        }
    }

    /** Reads twice in a transaction of that program. What it reads must not change, if it commits. */
    String read(SqlProgram program, String key, Stage.Action between, Judge judge) {
        try {
            int[] read = new int[2];
            new TransactionTemplate(program.transactions).executeWithoutResult(status -> {
                read[0] = number(program.sql, key);
                run(between);
                read[1] = number(program.sql, key);
            });
            if (read[0] != read[1]) {
                judge.violation("unstable read", "%s was %d, then %d".formatted(key, read[0], read[1]));
            }
            return "read " + read[1];
        } catch (LockLostException e) {
            return "refused: " + e.getMessage();
        } catch (RuntimeException e) {
            return "not read: " + e.getMessage();
        }
    }

    private static void run(Stage.Action action) {
        try {
            action.run();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private String add(SqlProgram program, String key, Stage.Action first, Stage.Action between) throws Exception {
        return add(program, key, TransactionDefinition.ISOLATION_DEFAULT, first, between);
    }

    private String add(SqlProgram program, String key, int isolation, Stage.Action first, Stage.Action between)
            throws Exception {
        DefaultTransactionDefinition definition = new DefaultTransactionDefinition();
        definition.setIsolationLevel(isolation);
        TransactionStatus transaction;
        try {
            transaction = program.transactions.getTransaction(definition);
        } catch (TransactionException e) {
            return "not begun: " + e.getMessage();
        }
        try {
            first.run();
            int number = number(program.sql, key);
            between.run();
            program.sql.update("UPDATE account SET number = ? WHERE id = ?", number + 1, key);
        } catch (RuntimeException e) {
            rollback(program, transaction);
            return "rolled back: " + e.getMessage();
        }
        return commit(program, transaction, key);
    }

    private String commit(SqlProgram program, TransactionStatus transaction, String key) {
        try {
            program.transactions.commit(transaction);
            count(committed, key).incrementAndGet();
            return COMMITTED;
        } catch (LockLostException | StaleReadException e) {
            return "refused: " + e.getMessage();
        } catch (RuntimeException e) {
            count(uncertain, key).incrementAndGet();
            return "of unknown outcome: " + e.getMessage();
        }
    }

    private static void rollback(SqlProgram program, TransactionStatus transaction) {
        try {
            program.transactions.rollback(transaction);
        } catch (TransactionException | DataAccessException e) {
            // the server does it when it finds the connection closed
        }
    }

    private static int number(JdbcTemplate by, String key) {
        try {
            return by.queryForObject("SELECT number FROM account WHERE id = ?", Integer.class, key);
        } catch (EmptyResultDataAccessException e) {
            return 0;
        }
    }

    private static AtomicInteger count(Map<String, AtomicInteger> counts, String key) {
        return counts.computeIfAbsent(key, unknown -> new AtomicInteger());
    }

    /** Every commit must show in the number. */
    void judge(String key, Judge of) {
        int least = count(committed, key).get();
        int most = least + count(uncertain, key).get();
        int number = number(judge, key);
        if (number < least || number > most) {
            of.violation("lost update", "%s is %d after %d to %d commits".formatted(key, number, least, most));
        }
    }
}
