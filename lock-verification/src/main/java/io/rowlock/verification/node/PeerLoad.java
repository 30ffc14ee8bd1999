package io.rowlock.verification.node;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.verification.history.Event.Kind;
import io.rowlock.verification.history.Recorder;
import java.util.Random;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The same increments under another library's locks. */
final class PeerLoad implements Node.Load {
    private static final int KEYS = 3;

    private final Recorder recorder;
    private final String name;
    private final HikariDataSource pool = new HikariDataSource();
    private final TransactionTemplate transactions;
    private final Increments increments;
    private final Peer peer;

    PeerLoad(Recorder recorder, String name, String database, String redis) {
        this.recorder = recorder;
        this.name = name;
        pool.setJdbcUrl(database);
        pool.setMaximumPoolSize(14);
        pool.setConnectionTimeout(2_000);
        pool.setInitializationFailTimeout(60_000);
        transactions = new TransactionTemplate(new JdbcTransactionManager(pool));
        increments = new Increments(new JdbcTemplate(pool), recorder);
        peer = Peer.of(name, pool, redis);
    }

    @Override
    public void step(Random random) throws InterruptedException {
        String key = name + ":" + random.nextInt(KEYS);
        long think = random.nextInt(200) == 0 ? random.nextInt((int) Node.TTL.toMillis() / 2) : random.nextInt(15);
        long operation = recorder.asked(key, "X", Node.WAIT.toNanos());
        Runnable unlock;
        try {
            unlock = peer.lock(key, Node.WAIT);
            if (unlock == Peer.BUSY) {
                recorder.add(operation, Kind.REFUSED, key, "busy", -1);
                return;
            }
        } catch (RuntimeException e) {
            recorder.add(operation, Kind.REFUSED, key, e.getClass().getSimpleName(), -1);
            return;
        }
        recorder.add(operation, Kind.GRANTED, key);
        try {
            transactions.executeWithoutResult(status -> increments.increment(operation, key, think));
            recorder.add(operation, Kind.COMMITTED, key);
        } catch (RuntimeException e) {
            // rolled back, or unknown if it had written
        }
        recorder.add(operation, Kind.ENDED, key);
        try {
            unlock.run();
        } catch (RuntimeException e) {
            // its holder is told that it was lost, after its commit
        }
        Thread.sleep(random.nextInt(10));
    }

    @Override
    public void close() {
        pool.close();
    }
}
