package io.rowlock.stress;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.LockLostException;
import io.rowlock.test.database.TestSchema;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/**
 * One number a key, changed by reading it and writing it back: nothing but the lock keeps two from doing that at once.
 * Every commit must show in the number, and a guarded transaction that reads it twice must see the same.
 */
final class Ledger implements AutoCloseable {
    private static final ThreadLocal<Runnable> LAST_STEP = new ThreadLocal<>();

    private final Oracle oracle;
    private final HikariDataSource pool;
    private final Sessions sessions;
    private final JdbcTemplate sql;

    /** On connections that were not killed. */
    private final JdbcTemplate judge;

    private final JdbcTransactionManager transactions;
    private final Map<String, AtomicLong> commits = new ConcurrentHashMap<>();
    private final Map<String, AtomicLong> uncertain = new ConcurrentHashMap<>();

    Ledger(TestSchema schema, String isolation, Oracle oracle) {
        this.oracle = oracle;
        pool = Pools.application(schema, isolation);
        sessions = new Sessions(pool);
        sql = new JdbcTemplate(sessions);
        judge = new JdbcTemplate(schema.dataSource());
        transactions = new JdbcTransactionManager(sessions);
        sql.execute("CREATE TABLE IF NOT EXISTS ledger (id VARBINARY(255) PRIMARY KEY, number BIGINT NOT NULL)");
    }

    Sessions sessions() {
        return sessions;
    }

    /** In the end: first the guards, then what a transaction has to do last. */
    Ledger guardedBy(TransactionExecutionListener... guards) {
        for (TransactionExecutionListener guard : guards) {
            transactions.addListener(guard);
        }
        transactions.addListener(new TransactionExecutionListener() {
            @Override
            public void beforeCommit(TransactionExecution transaction) {
                LAST_STEP.get().run();
            }
        });
        return this;
    }

    void open(List<String> keys) {
        sql.batchUpdate(
                "INSERT INTO ledger VALUES (?, 0) ON DUPLICATE KEY UPDATE number = 0",
                keys.stream().map(key -> new Object[] {bytes(key)}).toList());
    }

    private static byte[] bytes(String key) {
        return key.getBytes(StandardCharsets.UTF_8);
    }

    private long number(String key, String how) {
        return number(sql, key, how);
    }

    private static long number(JdbcTemplate by, String key, String how) {
        Long number =
                by.queryForObject("SELECT number FROM ledger WHERE id = ?" + how, Long.class, (Object) bytes(key));
        return number == null ? 0 : number;
    }

    /** Adds one, unprotected but for the guard. */
    void change(String key, Runnable start, Runnable between, Runnable check) {
        Outcome outcome = inTransaction(
                () -> {
                    start.run();
                    long before = number(key, "");
                    between.run();
                    sql.update("UPDATE ledger SET number = ? WHERE id = ?", before + 1, bytes(key));
                },
                check);
        if (outcome == Outcome.COMMITTED) {
            counter(commits, key).incrementAndGet();
        } else if (outcome == Outcome.UNCERTAIN) {
            counter(uncertain, key).incrementAndGet();
        }
        oracle.count("changes " + outcome.label);
    }

    /** Reads at the beginning and, what is current then, after the check at the end. */
    void look(String key, Runnable start, Runnable between, Runnable check) {
        long[] seen = new long[2];
        Outcome outcome = inTransaction(
                () -> {
                    start.run();
                    seen[0] = number(key, "");
                    between.run();
                },
                () -> {
                    check.run();
                    seen[1] = number(key, " LOCK IN SHARE MODE");
                });
        if (outcome == Outcome.COMMITTED && seen[0] != seen[1]) {
            oracle.violation("unstable read", key + " was " + seen[0] + " and became " + seen[1]);
        }
        oracle.count("looks " + outcome.label);
    }

    private Outcome inTransaction(Runnable body, Runnable last) {
        boolean[] toCommit = new boolean[1];
        LAST_STEP.set(() -> {
            last.run();
            toCommit[0] = true;
        });
        try {
            TransactionStatus status = transactions.getTransaction(new DefaultTransactionDefinition());
            try {
                body.run();
            } catch (RuntimeException e) {
                transactions.rollback(status);
                throw e;
            }
            transactions.commit(status);
            return Outcome.COMMITTED;
        } catch (LockLostException e) {
            return Outcome.REFUSED;
        } catch (RuntimeException e) {
            oracle.count("business transaction failed: " + Errors.name(e));
            return toCommit[0] ? Outcome.UNCERTAIN : Outcome.FAILED;
        } finally {
            LAST_STEP.remove();
        }
    }

    private static AtomicLong counter(Map<String, AtomicLong> counters, String key) {
        return counters.computeIfAbsent(key, name -> new AtomicLong());
    }

    /** Compares, when all is over, the numbers with the commits of all who wrote. */
    void judge(List<String> keys, List<Ledger> writers) {
        List<String> wrong = new ArrayList<>();
        for (String key : keys) {
            long least = sum(writers, ledger -> counter(ledger.commits, key));
            long most = least + sum(writers, ledger -> counter(ledger.uncertain, key));
            long number = number(judge, key, "");
            if (number < least || number > most) {
                wrong.add("%s is %d after %d to %d commits".formatted(key, number, least, most));
            }
        }
        wrong.forEach(details -> oracle.violation("lost update", details));
    }

    private static long sum(List<Ledger> ledgers, Function<Ledger, AtomicLong> counter) {
        return ledgers.stream().mapToLong(ledger -> counter.apply(ledger).get()).sum();
    }

    @Override
    public void close() {
        pool.close();
    }

    private enum Outcome {
        COMMITTED("committed"),
        REFUSED("refused by the fence"),
        FAILED("failed"),
        UNCERTAIN("of uncertain outcome");

        private final String label;

        Outcome(String label) {
            this.label = label;
        }
    }
}
