package io.rowlock.client;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.client.Node.Logging;
import io.rowlock.store.Lease;
import io.rowlock.store.LockLog;
import io.rowlock.store.jdbc.log.AsyncLockLog;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.Stopwatch;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.List;
import java.util.TimeZone;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** What the log says of each grant, and what becomes of grants when the log cannot be written. */
@Order(14)
@OnEachServer
class LockLogTests extends ClientContract {
    /** Not renewed while a test lasts, so that its process does not find out. */
    private static final Duration LONG_TTL = Duration.ofMinutes(10);

    private static final LockRequest LONG = LockRequest.exclusive("a").withTtl(LONG_TTL);

    private Node logged(Logging logging) {
        return closing(new Node(Pools.locks(schema), "logged", logging));
    }

    private List<StoredLogRow> rows(String key) {
        return table.sql.query("SELECT * FROM rowlock_lock_log WHERE lock_key = ? ORDER BY id", StoredLogRow::of, key);
    }

    /** The only row of a key, once it says so. */
    private StoredLogRow row(String key, String status) {
        return await().atMost(ofSeconds(20))
                .pollInterval(ofMillis(20))
                .until(
                        () -> rows(key),
                        rows -> rows.size() == 1 && rows.get(0).status().equals(status))
                .get(0);
    }

    private LocalDateTime serverTime() {
        return table.sql.queryForObject("SELECT UTC_TIMESTAMP(6)", LocalDateTime.class);
    }

    // ---- the life of a row

    @Test
    void grantIsHeldThenReleased() {
        Node mine = logged(Logging.ASYNC);
        Stopwatch time = Stopwatch.start();
        HeldLock lock = mine.take("a");
        StoredLogRow held = row("a", "HELD");
        assertThat(held.mode()).isEqualTo("EXCLUSIVE");
        assertThat(held.owner()).isEqualTo("logged");
        assertThat(held.fence()).isEqualTo(lock.fencingToken());
        assertThat(held.completed()).isNull();
        assertThat(held.released()).isNull();
        lock.close();
        StoredLogRow released = row("a", "RELEASED");
        assertThat(released.released()).isAfterOrEqualTo(released.acquired());
        assertThat(released.completed()).isNull();
        assertThat(Duration.between(held.acquired(), released.acquired()).abs().minus(time.stalled()))
                .isLessThan(ofSeconds(1));
    }

    @Test
    void committedTransactionCompletesTheGrantAndItsReleaseKeepsTheTime() {
        Node mine = logged(Logging.ASYNC);
        Application application = closing(new Application(schema, mine.client, 2));
        HeldLock lock = mine.take("a");
        application.inTransaction(application::deposit);
        StoredLogRow completed = row("a", "COMPLETED");
        assertThat(completed.completed()).isAfterOrEqualTo(completed.acquired());
        assertThat(completed.released()).isNull();
        lock.close();
        StoredLogRow released = row("a", "RELEASED");
        assertThat(released.completed()).isEqualTo(completed.completed());
        assertThat(released.released()).isAfterOrEqualTo(released.completed());
    }

    @Test
    void lockClosedInsideItsTransactionIsReleasedAndCompleted() {
        Node mine = logged(Logging.ASYNC);
        Application application = closing(new Application(schema, mine.client, 2));
        application.inTransaction(() -> mine.take("a").close());
        StoredLogRow row = row("a", "RELEASED");
        assertThat(row.completed()).isNotNull().isBeforeOrEqualTo(row.released());
    }

    @Test
    void transactionThatRolledBackCompletesNothing() {
        Node mine = logged(Logging.ASYNC);
        Application application = closing(new Application(schema, mine.client, 2));
        try (HeldLock lock = mine.take("a")) {
            assertThat(lock.isHeld()).isTrue();
            application.transaction().executeWithoutResult(status -> status.setRollbackOnly());
        }
        assertThat(row("a", "RELEASED").completed()).isNull();
    }

    @Test
    void lockThatRanOutIsLost() {
        Node mine = logged(Logging.ASYNC);
        HeldLock lock = mine.take("a");
        table.age("a");
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock.extend(ofSeconds(30)));
        StoredLogRow lost = row("a", "LOST");
        lock.close();
        assertThat(lost.released()).isNotNull();
    }

    @Test
    void lockFoundLostWhenItIsClosedIsLostToo() {
        Node mine = logged(Logging.ASYNC);
        HeldLock lock = mine.take("a");
        table.forceRelease("a");
        rival.take("a").close();
        lock.close();
        assertThat(row("a", "LOST").released()).isNotNull();
    }

    @Test
    void shutdownReleasesWhatIsHeldAndWritesIt() {
        Node mine = logged(Logging.ASYNC);
        HeldLock lock = mine.take("a");
        mine.client.close();
        assertThat(rows("a")).singleElement().extracting(StoredLogRow::status).isEqualTo("RELEASED");
        lock.close();
    }

    // ---- the word of others

    private void awaitStatuses(String... statuses) {
        await().untilAsserted(() ->
                assertThat(rows("a")).extracting(StoredLogRow::status).containsExactly(statuses));
    }

    /** Waits until a node has written what it had to say so far: when the second is written, what came before the first has been. */
    private void awaitWritten(Node node) {
        for (String later : List.of("b", "c")) {
            node.take(later).close();
            await().until(() -> rows(later).size() == 1);
        }
    }

    @Test
    void grantOfADeadHolderExpiresAsSoonAsItsKeyIsTakenOver() {
        HeldLock dead = logged(Logging.ASYNC).client.acquire(LONG);
        awaitStatuses("HELD");
        table.age("a");
        try (HeldLock next = logged(Logging.ASYNC).take("a")) {
            awaitStatuses("EXPIRED", "HELD");
            assertThat(rows("a").get(0).released()).isNotNull();
            assertThat(rows("a"))
                    .extracting(StoredLogRow::fence)
                    .containsExactly(dead.fencingToken(), next.fencingToken());
        }
        dead.close(); // it lived on, and has the last word
        awaitStatuses("LOST", "RELEASED");
    }

    @Test
    void grantOfADeadReaderExpiresAsSoonAsAWriterGetsPastIt() {
        HeldLock dead =
                logged(Logging.ASYNC).client.acquire(LockRequest.shared("a").withTtl(LONG_TTL));
        awaitStatuses("HELD");
        table.age("a");
        logged(Logging.ASYNC).take("a").close();
        awaitStatuses("EXPIRED", "RELEASED");
        dead.close();
    }

    /** Readers that came after one writer have one token, and those of one process one owner: the log cannot tell them apart. */
    @Test
    void livingReaderIsNotSaidToHaveExpiredWithADeadOneOfItsProcess() throws Exception {
        Node mine = logged(Logging.ASYNC);
        HeldLock dead = mine.client.acquire(LockRequest.shared("a").withTtl(LONG_TTL));
        HeldLock living = Other.does(
                        () -> mine.client.acquire(LockRequest.shared("a").withTtl(LONG_TTL.multipliedBy(2))))
                .get();
        awaitStatuses("HELD", "HELD");
        table.sql.update("UPDATE rowlock_lock SET expires_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND"
                + " WHERE lock_key = 'a' AND expires_at < UTC_TIMESTAMP(6) + INTERVAL 15 MINUTE");
        Node next = logged(Logging.ASYNC);
        Other<HeldLock> writer = Other.does(() -> next.take("a"));
        await().until(() -> next.count(LockEvent.Type.EXPIRED, "a") == 1);
        awaitWritten(next);
        awaitStatuses("HELD", "HELD");
        living.close();
        writer.get().close();
        awaitStatuses("HELD", "RELEASED", "RELEASED");
        dead.close();
    }

    @Test
    void expiredGrantIsNotOpenedAgainButItsOwnProcessHasTheLastWord() {
        Node mine = logged(Logging.ASYNC);
        Lease released = new Lease("a", LockMode.EXCLUSIVE, 0, 5_000, "logged");
        Lease lost = new Lease("a", LockMode.EXCLUSIVE, 0, 9_000, "logged");
        LockLog.Entry one = mine.log.granted("lease", released, 5_000, Duration.ZERO);
        awaitStatuses("HELD");
        LockLog.Entry two = mine.log.granted("lease", lost, 9_001, Duration.ZERO);
        awaitStatuses("HELD", "HELD");
        Node next = logged(Logging.ASYNC);
        next.log.expired("lease", released);
        awaitStatuses("EXPIRED", "HELD");
        next.log.expired("lease", lost);
        awaitStatuses("EXPIRED", "EXPIRED");
        one.completed();
        two.completed();
        await().until(() -> rows("a").stream().allMatch(row -> row.completed() != null));
        assertThat(rows("a")).allSatisfy(row -> {
            assertThat(row.status()).isEqualTo("EXPIRED");
            assertThat(row.released()).isNotNull();
        });
        one.released();
        two.lost();
        awaitStatuses("RELEASED", "LOST");
        next.log.expired("lease", released);
        next.log.expired("lease", lost);
        next.client.close();
        awaitStatuses("RELEASED", "LOST");
    }

    @Test
    void keyIsTakenOverThoughTheLogCannotNoteWhoHadIt() throws Exception {
        HeldLock dead = logged(Logging.ASYNC).client.acquire(LONG);
        awaitStatuses("HELD");
        table.age("a");
        Node next = logged(Logging.ASYNC);
        try (Connection other = schema.dataSource().getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            other.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            statement.execute("SELECT 1 FROM rowlock_lock_log WHERE lock_key = 'a' FOR UPDATE");
            next.take("a").close();
            awaitWritten(next);
            other.rollback();
        }
        awaitStatuses("HELD", "RELEASED");
        dead.close();
    }

    @Test
    void idleLogClosesAtOnce() {
        AtomicInteger logs = new AtomicInteger();
        // again if the machine stalled, since a log that waits does so each time
        await().until(() -> timeToClose("idle" + logs.getAndIncrement()).compareTo(ofMillis(900)) < 0);
    }

    private Duration timeToClose(String key) {
        Node mine = logged(Logging.ASYNC);
        mine.take(key).close();
        row(key, "RELEASED");
        long start = System.nanoTime();
        mine.client.close();
        return Duration.ofNanos(System.nanoTime() - start);
    }

    // ---- what is a grant

    @Test
    void eachReaderThatJoinsIsAGrantAndANestedOneIsNot() throws Exception {
        Node mine = logged(Logging.ASYNC);
        HeldLock first = mine.read("a");
        HeldLock nested = mine.read("a");
        HeldLock second = Other.does(() -> mine.read("a")).get();
        await().until(() -> rows("a").size() == 2);
        second.close();
        nested.close();
        first.close();
        await().until(() -> rows("a").stream().allMatch(row -> row.status().equals("RELEASED")));
        assertThat(rows("a")).hasSize(2).allSatisfy(row -> {
            assertThat(row.mode()).isEqualTo("SHARED");
            assertThat(row.fence()).isEqualTo(first.fencingToken());
        });
    }

    @Test
    void writerThatGivesUpDrainingLeavesNoRowThatSaysHeld() {
        Node mine = logged(Logging.ASYNC);
        try (HeldLock reader = rival.read("a")) {
            assertThat(reader.isHeld()).isTrue();
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(
                            () -> mine.client.acquire(LockRequest.exclusive("a").withWaitTime(ofMillis(100))));
        }
        mine.client.close();
        assertThat(rows("a")).isEmpty();
    }

    @Test
    void downgradeEndsTheExclusiveGrantAndBeginsASharedOne() {
        Node mine = logged(Logging.ASYNC);
        HeldLock writer = mine.take("a");
        HeldLock reader = mine.read("a");
        writer.close();
        await().until(() -> rows("a").size() == 2 && rows("a").get(1).status().equals("HELD"));
        assertThat(rows("a")).extracting(StoredLogRow::mode).containsExactly("EXCLUSIVE", "SHARED");
        await().until(() -> rows("a").get(0).status().equals("RELEASED"));
        assertThat(rows("a")).extracting(StoredLogRow::fence).containsOnly(reader.fencingToken());
        reader.close();
        await().until(() -> rows("a").get(1).status().equals("RELEASED"));
    }

    @Test
    void waitIsNoted() throws Exception {
        Node mine = logged(Logging.ASYNC);
        HeldLock held = rival.take("a");
        CountDownLatch asks = new CountDownLatch(1);
        Other<HeldLock> waiter = Other.does(() -> {
            asks.countDown();
            return mine.take("a");
        });
        asks.await();
        // For long: noted is what was waited when the statement was sent that took the lock, and that may be on its way
        // for a while
        await().pollDelay(ofMillis(1_500)).until(() -> !waiter.isDone());
        held.close();
        waiter.get().close();
        assertThat(row("a", "RELEASED").waitedMicros()).isBetween(200_000L, 30_000_000L);
    }

    @Test
    void withoutLogThereAreNoRows() {
        Node mine = logged(Logging.OFF);
        mine.take("a").close();
        mine.client.close();
        assertThat(rows("a")).isEmpty();
    }

    @Test
    void keyIsReadableWhateverItIs() {
        Node mine = logged(Logging.ASYNC);
        String key = "Ärger 🔒\u00a0'x' \\ %_ ";
        mine.take(key).close();
        assertThat(row(key, "RELEASED").key()).isEqualTo(key);
    }

    // ---- time

    @Test
    @ResourceLock(Resources.TIME_ZONE)
    void timesAreTheServersInUtcWhateverTheTimeZones() {
        TimeZone before = TimeZone.getDefault();
        TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Auckland"));
        try {
            HikariDataSource pool =
                    Pools.locks(schema, "SET SESSION innodb_lock_wait_timeout = 1, time_zone = '-08:00'");
            Node mine = closing(new Node(pool, "elsewhere", Logging.ASYNC));
            LocalDateTime start = serverTime();
            mine.take("a").close();
            StoredLogRow row = row("a", "RELEASED");
            LocalDateTime end = serverTime();
            assertThat(row.acquired()).isBetween(start.minusSeconds(1), end);
            assertThat(row.released()).isBetween(row.acquired(), end);
        } finally {
            TimeZone.setDefault(before);
        }
    }

    @Test
    void serverWhoseClockIsElsewhereIsBelieved() {
        HikariDataSource pool = Pools.locks(schema, "SET SESSION timestamp = 1900000000");
        Node mine = closing(new Node(pool, "elsewhere", Logging.ASYNC));
        mine.take("a").close();
        assertThat(row("a", "RELEASED").acquired())
                .isBetween(LocalDateTime.parse("2030-03-17T17:46:30"), LocalDateTime.parse("2030-03-17T17:46:40"));
    }

    // ---- trouble

    @Test
    void asyncLogThatIsGoneHarmsNoLockAndIsWrittenAgainOnceItIsBack() {
        Node mine = logged(Logging.ASYNC);
        table.sql.execute("RENAME TABLE rowlock_lock_log TO hidden_log");
        try {
            for (int i = 0; i < 20; i++) {
                mine.take("a" + i).close();
            }
            await().until(() -> ((AsyncLockLog) mine.log).dropped() > 0);
        } finally {
            table.sql.execute("RENAME TABLE hidden_log TO rowlock_lock_log");
        }
        mine.take("b").close();
        row("b", "RELEASED");
    }

    @Test
    void asyncLogThatIsLockedHoldsUpNoLock() throws Exception {
        Node mine = logged(Logging.ASYNC);
        try (Connection other = schema.dataSource().getConnection();
                Statement statement = other.createStatement()) {
            statement.execute("LOCK TABLES rowlock_lock_log WRITE");
            Stopwatch time = Stopwatch.start();
            for (int i = 0; i < 20; i++) {
                mine.take("a" + i).close();
            }
            assertThat(time.taken()).isLessThan(Node.QUERY_TIMEOUT);
            await().atMost(ofSeconds(20)).until(() -> ((AsyncLockLog) mine.log).dropped() > 0);
            statement.execute("UNLOCK TABLES");
        }
        mine.take("b").close();
        row("b", "RELEASED");
    }
}
