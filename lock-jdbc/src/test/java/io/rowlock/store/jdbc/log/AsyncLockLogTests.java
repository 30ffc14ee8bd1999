package io.rowlock.store.jdbc.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.rowlock.LockMode;
import io.rowlock.store.Lease;
import io.rowlock.store.LockLog;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.test.OnServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

@OnServer
class AsyncLockLogTests {
    private static final TablePrefix PREFIX = new TablePrefix("rowlock_");

    @Test
    void fullQueueDropsAndCountsAndMakesNoThreadWait(DataSource real) throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        Semaphore connections = new Semaphore(0);
        DataSource slow = mock(DataSource.class);
        given(slow.getConnection()).willAnswer(call -> {
            asked.countDown();
            connections.acquire();
            return real.getConnection();
        });
        AsyncLockLog log = new AsyncLockLog(new LockDatabase(slow, 8, Duration.ofSeconds(3)), PREFIX);
        List<LockLog.Entry> grants = new ArrayList<>();
        grants.add(log.granted("lease", lease(0), 0, Duration.ZERO));
        asked.await();
        for (int i = 1; i <= AsyncLockLog.MAX_QUEUED + 8; i++) {
            grants.add(log.granted("lease", lease(i), i, Duration.ZERO));
        }
        assertThat(log.dropped()).isEqualTo(8);
        connections.release(1_000_000);
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> rows(real) == AsyncLockLog.MAX_QUEUED + 1);
        grants.forEach(LockLog.Entry::released);
        log.close();
        assertThat(rows(real)).isGreaterThan(AsyncLockLog.MAX_QUEUED);
    }

    @Test
    void closeCountsWhatTheDatabaseDidNotTake() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        AtomicReference<Thread> writer = new AtomicReference<>();
        DataSource silent = mock(DataSource.class);
        given(silent.getConnection()).willAnswer(call -> {
            writer.set(Thread.currentThread());
            asked.countDown();
            over.await();
            throw new SQLException("over");
        });
        AsyncLockLog log = new AsyncLockLog(new LockDatabase(silent, 8, Duration.ofSeconds(3)), PREFIX);
        LockLog.Entry first = log.granted("lease", lease(0), 0, Duration.ZERO);
        asked.await();
        log.granted("lease", lease(1), 1, Duration.ZERO).released();
        log.expired("lease", lease(2));
        log.close();
        assertThat(log.dropped()).isEqualTo(2);
        over.countDown();
        writer.get().join();
        assertThat(log.dropped()).as("none is counted twice").isEqualTo(3);
        first.released();
    }

    /** The program's own appender, or filter. */
    @Test
    void writerGoesOnThoughItsFailureCannotBeLogged(DataSource real) throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger(AsyncLockLog.class);
        ListAppender<ILoggingEvent> full = new ListAppender<>() {
            @Override
            public synchronized void doAppend(ILoggingEvent event) {
                throw new IllegalStateException("the disk is full");
            }
        };
        logger.addAppender(full);
        AtomicInteger asked = new AtomicInteger();
        DataSource failing = mock(DataSource.class);
        given(failing.getConnection()).willAnswer(call -> {
            if (asked.incrementAndGet() == 1) {
                throw new SQLException("no database");
            }
            return real.getConnection();
        });
        AsyncLockLog log = new AsyncLockLog(new LockDatabase(failing, 8, Duration.ofSeconds(3)), PREFIX);
        try {
            log.granted("lease", lease(50), 50, Duration.ZERO);
            Awaitility.await().until(() -> log.dropped() == 1);
            long before = rows(real);
            log.granted("lease", lease(51), 51, Duration.ZERO);
            Awaitility.await().until(() -> rows(real) == before + 1);
        } finally {
            logger.detachAppender(full);
            log.close();
        }
    }

    /** As many rows come while one statement is under way as fit into the next. */
    @Test
    void rowsThatComeWhileOthersAreWrittenGatherForTheNextStatement(DataSource real) throws Exception {
        AtomicInteger statements = new AtomicInteger();
        AtomicReference<AsyncLockLog> log = new AtomicReference<>();
        List<LockLog.Entry> grants = new CopyOnWriteArrayList<>();
        DataSource counting = mock(DataSource.class);
        given(counting.getConnection()).willAnswer(call -> {
            int statement = statements.incrementAndGet();
            if (statement < 100) { // a thread acquires a lock meanwhile
                grants.add(log.get().granted("lease", lease(statement), statement, Duration.ZERO));
            }
            return real.getConnection();
        });
        log.set(new AsyncLockLog(new LockDatabase(counting, 8, Duration.ofSeconds(3)), PREFIX));
        long begin = System.nanoTime();
        grants.add(log.get().granted("lease", lease(0), 0, Duration.ZERO));
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> statements.get() >= 5);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(800));
        grants.forEach(LockLog.Entry::released);
        log.get().close();
    }

    @Test
    void rowsThatFillNoStatementWaitForMore(DataSource real) throws Exception {
        long before = rows(real);
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch gathered = new CountDownLatch(1);
        List<Long> written = new CopyOnWriteArrayList<>();
        DataSource noting = mock(DataSource.class);
        given(noting.getConnection()).willAnswer(call -> {
            written.add(rows(real) - before);
            asked.countDown();
            gathered.await();
            return real.getConnection();
        });
        AsyncLockLog log = new AsyncLockLog(new LockDatabase(noting, 8, Duration.ofSeconds(3)), PREFIX);
        log.granted("lease", lease(600), 600, Duration.ZERO).released();
        asked.await();
        for (int i = 601; i <= 700; i++) {
            log.granted("lease", lease(i), i, Duration.ZERO).released();
        }
        gathered.countDown();
        Awaitility.await().until(() -> rows(real) == before + 101);
        assertThat(written).containsExactly(0L, 1L, 65L);
        log.close();
    }

    private static Lease lease(int number) {
        return new Lease("key-" + number, LockMode.EXCLUSIVE, 0, number + 1L, "me");
    }

    private static long rows(DataSource real) throws SQLException {
        try (Connection connection = real.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM rowlock_lock_log")) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
