package io.rowlock.store.jdbc.log;

import io.rowlock.LockStoreException;
import io.rowlock.store.DaemonThreads;
import io.rowlock.store.Lease;
import io.rowlock.store.LockLog;
import io.rowlock.store.LockLog.LogFilter;
import io.rowlock.store.LockLog.LogRow;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.jdbc.log.LogEntry.Grant;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the log from a queue on a thread of its own, several rows a statement. A lock never waits for it: when the queue
 * is full or the database does not accept the rows, they are dropped and counted. A grant that ends before its row was
 * written costs one row and no change of it.
 */
public final class AsyncLockLog implements LockLog {
    private static final Logger log = LoggerFactory.getLogger(AsyncLockLog.class);
    static final int MAX_QUEUED = 10_000;
    static final int MAX_BATCH = 3 * LogTable.LARGEST_PIECE;

    /** Lets rows come together, so that most grants have ended when they are written. A whole batch waits no longer. */
    private static final Duration GATHERING = Duration.ofMillis(200);

    private static final Duration LAST_FLUSH = Duration.ofSeconds(5);

    private final LogTable table;
    private final BlockingQueue<LogEntry> queue = new ArrayBlockingQueue<>(MAX_QUEUED);
    private final BlockingQueue<Runnable> expired = new ArrayBlockingQueue<>(MAX_QUEUED);
    private final AtomicInteger gathered = new AtomicInteger();
    private final AtomicLong dropped = new AtomicLong();
    private final ScheduledThreadPoolExecutor writer = new ScheduledThreadPoolExecutor(
            1, DaemonThreads.named("rowlock-log"), new ThreadPoolExecutor.DiscardPolicy());
    private volatile boolean closed;
    private boolean failing;

    /**
     * @param database where the log is
     * @param prefix what its name begins with
     */
    public AsyncLockLog(LockDatabase database, TablePrefix prefix) {
        table = new LogTable(database, prefix);
        Future<?> unused = writer.scheduleWithFixedDelay(
                this::writeAll, GATHERING.toMillis(), GATHERING.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** @return how many rows or changes of rows were not written */
    public long dropped() {
        return dropped.get();
    }

    @Override
    public Entry granted(String strategy, Lease lease, long token, Duration waited) {
        LogEntry grant = new LogEntry(new Grant(strategy, lease, token, waited), System::nanoTime, this::enqueue);
        grant.begin();
        return grant;
    }

    @Override
    public List<LogRow> find(LogFilter filter) {
        return table.find(filter);
    }

    @Override
    public void expired(String strategy, Lease former) {
        if (!isQueued(expired, () -> table.expired.markExpired(strategy, former))) {
            dropped.incrementAndGet();
        }
    }

    @Override
    public void ended(String strategy, LiveLock lock, String note) {
        table.ended(strategy, lock, note);
    }

    private void enqueue(LogEntry grant) {
        if (!isQueued(queue, grant)) {
            dropped.incrementAndGet();
            grant.dropped();
        } else if (gathered.incrementAndGet() == MAX_BATCH) {
            writer.execute(this::writeAll);
        }
    }

    /** Returns true if the writer accepts it, or {@link #close} counts it. */
    private <T> boolean isQueued(BlockingQueue<T> rows, T row) {
        return !closed && rows.offer(row) && (!writer.isTerminated() || !rows.remove(row));
    }

    /** Goes on at the next time, whatever happens: an executor ends a task that throws. */
    private void writeAll() {
        gathered.set(0);
        try {
            int least = closed ? 1 : MAX_BATCH; // less gathers for the next time
            do {
                writeSome();
            } while (queue.size() >= least || expired.size() >= least);
        } catch (RuntimeException | Error e) {
            DaemonThreads.warn(log, "The lock log goes on after an error", e);
        }
    }

    /** Writes what fills whole statements, as a row costs less among many, and leaves the rest to the next time; if none is filled, all. */
    private void writeSome() {
        List<LogEntry> batch = new ArrayList<>(MAX_BATCH);
        int size = queue.size();
        int odd = size < LogTable.LARGEST_PIECE || closed ? 0 : size % LogTable.LARGEST_PIECE;
        queue.drainTo(batch, Math.min(MAX_BATCH, size - odd));
        if (!batch.isEmpty()) {
            write(
                    batch.size(),
                    () -> table.write(batch.stream().map(LogEntry::snapshot).toList()));
        }
        List<Runnable> gone = new ArrayList<>();
        expired.drainTo(gone, MAX_BATCH);
        gone.forEach(mark -> write(1, mark));
    }

    private void write(int rows, Runnable statement) {
        try {
            statement.run();
            failing = false;
        } catch (LockStoreException e) {
            dropped.addAndGet(rows);
            if (!failing) {
                DaemonThreads.warn(
                        log, "The lock log cannot be written and drops rows until it can: {}", e.getMessage());
            }
            failing = true;
        } catch (RuntimeException | Error e) {
            dropped.addAndGet(rows);
            DaemonThreads.warn(log, "The lock log dropped {} rows", rows, e);
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            writer.execute(this::writeAll);
            writer.shutdown();
            boolean unused = writer.awaitTermination(LAST_FLUSH.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        List<Object> left = new ArrayList<>(); // taken out, so that they are not counted again
        int unwritten = queue.drainTo(left) + expired.drainTo(left);
        if (unwritten > 0) {
            dropped.addAndGet(unwritten);
            DaemonThreads.warn(
                    log,
                    "The lock log was closed before {} rows were written: the database did not accept them in time",
                    unwritten);
        }
    }
}
