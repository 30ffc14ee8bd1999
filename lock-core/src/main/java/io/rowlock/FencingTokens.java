package io.rowlock;

import java.util.ServiceLoader;
import javax.sql.DataSource;

/**
 * Refuses late calls of a holder that has lost its lock: the receiving half of {@link HeldLock#fencingToken()}. The sender passes the key
 * and the token of its lock with each call, and the receiver, which may be another application with another database, requires the token
 * in the transaction that stores what the call asks for:
 *
 * <pre>{@code
 * @Transactional
 * void pay(String key, long token, Payment payment) {
 *     tokens.require(key, token);
 *     payments.save(payment);
 * }
 * }</pre>
 *
 * <p>The greatest token of each key is a row of the table {@code rowlock_token}, in the database of the receiver's transaction. It is
 * never removed by age. Thread-safe.
 */
public interface FencingTokens {
    /**
     * Notes the token and keeps its row locked until the open transaction has completed, so that calls of one key follow one another.
     * Calls of the same token, and thus of one holder, all pass. Comes before what the transaction reads; several keys come in the same
     * order everywhere.
     *
     * @param key the key of the lock that the sender has; non-empty and at most 255 bytes of UTF-8
     * @param token the sender's {@link HeldLock#fencingToken()}; positive and less than 2<sup>53</sup>
     * @throws StaleTokenException if a greater one was seen; the transaction is to be rolled back
     * @throws StaleReadException if the transaction had begun to read before another one that required the key has committed: what it read
     *     may be older than what that one wrote. A new transaction may pass. Only from REPEATABLE READ on; at READ COMMITTED nothing
     *     tells what a transaction has read before, so what it writes back may undo what that one wrote
     * @throws LockStoreException if the database could not be asked, or another transaction kept the row for too long
     * @throws IllegalStateException if no transaction is open that could keep the row locked
     * @throws IllegalArgumentException if the key is empty or too long, or no lock has that number as a token
     */
    void require(String key, long token);

    /**
     * Returns tokens in any MySQL or MariaDB database, for a receiver that has no locks: {@code io.rowlock:rowlock-jdbc} is all it needs,
     * and this table in its own migrations:
     *
     * <pre>{@code
     * CREATE TABLE rowlock_token (
     *     lock_key VARBINARY(255) NOT NULL,
     *     token    BIGINT         NOT NULL,
     *     seen_at  DATETIME(6)    NOT NULL,
     *     PRIMARY KEY (lock_key)
     * ) ENGINE = InnoDB
     * }</pre>
     *
     * @param dataSource the one that the receiver's transaction manager works on. With another one, {@link #require} refuses the call unless
     *     the pool of that one has auto-commit off: then what it notes is rolled back, and stale tokens pass
     * @return its tokens
     * @throws IllegalStateException if {@code rowlock-jdbc} is not on the class path
     */
    static FencingTokens of(DataSource dataSource) {
        return ServiceLoader.load(Factory.class, Factory.class.getClassLoader())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "Fencing tokens in a database need io.rowlock:rowlock-jdbc on the class path"))
                .of(dataSource);
    }

    /** Makes tokens in a database. Found as a service, since nothing here speaks JDBC. */
    interface Factory {
        /**
         * Returns tokens in the table {@code rowlock_token}.
         *
         * @param dataSource the one that the transaction manager works on
         * @return its tokens
         */
        FencingTokens of(DataSource dataSource);
    }
}
