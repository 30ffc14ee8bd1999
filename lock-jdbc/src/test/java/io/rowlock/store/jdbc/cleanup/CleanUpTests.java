package io.rowlock.store.jdbc.cleanup;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.client.ClientContract;
import io.rowlock.client.LockTable;
import io.rowlock.client.Node;
import io.rowlock.client.Other;
import io.rowlock.client.Pools;
import io.rowlock.store.Lease;
import io.rowlock.store.Maintenance;
import io.rowlock.store.jdbc.session.BeforeStatement;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.test.OnEachServer;
import java.io.Closeable;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What the clean-up removes, what it never touches, and who does it when. */
@OnEachServer(dependsOnServer = true)
class CleanUpTests extends ClientContract {
    private Maintenance cleanUp;

    @BeforeEach
    void prepare() {
        cleanUp = cleanUp(ofDays(7));
    }

    private Maintenance cleanUp(Duration keepIdle) {
        return new TableCleanUp(node.database, Node.PREFIX, keepIdle, ofDays(7));
    }

    private void shift(String key, String column, Duration back) {
        table.sql.update(
                "UPDATE rowlock_lock SET " + column + " = UTC_TIMESTAMP(6) - INTERVAL ? SECOND WHERE lock_key = ?",
                back.toSeconds(),
                LockTable.bytes(key));
    }

    private int count(String from, Object... parameters) {
        return table.sql.queryForObject("SELECT COUNT(*) FROM " + from, Integer.class, parameters);
    }

    private int gates(String key) {
        return count("rowlock_lock WHERE lock_key = ? AND slot = 0", (Object) LockTable.bytes(key));
    }

    private int readers(String key) {
        return count("rowlock_lock WHERE lock_key = ? AND slot > 0", (Object) LockTable.bytes(key));
    }

    private void used(String key) {
        node.take(key).close();
    }

    // ---- the lock table

    @Test
    void nothingToDoIsDoneSilently() {
        used("a");
        assertThat(cleanUp.cleanUp()).isEmpty();
    }

    @Test
    void deadReadersGoAndLateOnesAndLiveOnesStay() {
        HeldLock live = node.read("live");
        node.client.acquire(LockRequest.shared("late").withRenewal(false));
        node.client.acquire(LockRequest.shared("dead").withRenewal(false));
        shift("late", "expires_at", ofSeconds(10));
        shift("dead", "expires_at", ofMinutes(2));
        assertThat(cleanUp.cleanUp()).isEqualTo("dead readers and idle keys: 1");
        assertThat(readers("live")).isOne();
        assertThat(readers("late")).isOne();
        assertThat(readers("dead")).isZero();
        live.close();
    }

    @Test
    void manyDeadReadersGoPageByPage() {
        used("a");
        List<Object[]> rows = new ArrayList<>();
        for (int i = 1; i <= 1_203; i++) {
            rows.add(new Object[] {LockTable.bytes("a"), i});
        }
        table.sql.batchUpdate(
                "INSERT INTO rowlock_lock VALUES (?, ?, 0, 'x', 1, '2020-01-01', '2020-01-01', 0, 0)", rows);
        assertThat(cleanUp.cleanUp()).isEqualTo("dead readers and idle keys: 1203");
        assertThat(readers("a")).isZero();
    }

    @Test
    void manyIdleGatesGoInBatchesAndThoseInUseStay() {
        List<Object[]> rows = new ArrayList<>();
        for (int i = 0; i < 620; i++) {
            rows.add(new Object[] {LockTable.bytes("idle-%03d".formatted(i))});
        }
        table.sql.batchUpdate(
                "INSERT INTO rowlock_lock VALUES (?, 0, 0, 'x', 1, '2020-01-01', '1970-01-01', 0, 0)", rows);
        HeldLock read = node.read("idle-007");
        used("idle-300");
        cleanUp.cleanUp();
        table.sql.update("UPDATE rowlock_lock SET acquired_at = '2020-01-01' WHERE lock_key = 'idle-007' AND slot = 0");
        node.take("held").close();
        shift("held", "acquired_at", ofDays(8));
        assertThat(count("rowlock_lock WHERE lock_key LIKE 'idle-%' AND slot = 0"))
                .isEqualTo(2);
        assertThat(cleanUp.cleanUp()).isEqualTo("dead readers and idle keys: 1");
        assertThat(gates("idle-007") + gates("idle-300")).isEqualTo(2);
        read.close();
    }

    /** Somebody has dropped it, or revoked a right. */
    @Test
    void tableThatCannotBeCleanedKeepsNoOtherFromIt() {
        node.client.acquire(LockRequest.shared("dead").withRenewal(false));
        shift("dead", "expires_at", ofMinutes(2));
        table.sql.execute("RENAME TABLE rowlock_unique_key TO elsewhere");
        try {
            assertThat(cleanUp.cleanUp()).isEqualTo("dead readers and idle keys: 1");
        } finally {
            table.sql.execute("RENAME TABLE elsewhere TO rowlock_unique_key");
        }
    }

    @Test
    void idleGateGoesAndTheOthersStay() {
        List.of("idle", "recent", "held", "read").forEach(this::used);
        HeldLock held = node.take("held");
        HeldLock read = node.read("read");
        List.of("idle", "held").forEach(key -> shift(key, "acquired_at", ofDays(8)));
        table.sql.update("UPDATE rowlock_lock SET acquired_at = '2020-01-01' WHERE lock_key = 'read' AND slot = 0");
        assertThat(cleanUp.cleanUp()).isEqualTo("dead readers and idle keys: 1");
        assertThat(gates("idle")).isZero();
        assertThat(gates("recent") + gates("held") + gates("read")).isEqualTo(3);
        assertThat(rival.canTake("held") || rival.canTake("read")).isFalse();
        assertThat(rival.canTake("idle")).isTrue();
        held.close();
        read.close();
    }

    @Test
    void gateInUseByATransactionIsLeftToTheNextRoundAndKeepsNoOther() throws Exception {
        used("a");
        used("b");
        shift("a", "acquired_at", ofDays(8));
        shift("b", "acquired_at", ofDays(8));
        try (Connection other = schema.dataSource().getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT 1 FROM rowlock_lock WHERE lock_key = 'a' AND slot = 0 LOCK IN SHARE MODE");
            assertThat(cleanUp.cleanUp()).isEqualTo("dead readers and idle keys: 1");
            assertThat(gates("a")).isOne();
            assertThat(gates("b")).isZero();
            other.rollback();
        }
        assertThat(cleanUp.cleanUp()).isEqualTo("dead readers and idle keys: 1");
    }

    /** Of a table with few rows the optimizer would rather read all, and wait for the locked one, than look for most of them. */
    @Test
    void mostGatesOfASmallTableGoThoughOneInUseIsLocked() throws Exception {
        List<String> idle = IntStream.range(0, 12).mapToObj(i -> "idle-" + i).toList();
        idle.forEach(this::used);
        idle.forEach(key -> shift(key, "acquired_at", ofDays(8)));
        used("live");
        try (Connection other = schema.dataSource().getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT 1 FROM rowlock_lock WHERE lock_key = 'live' AND slot = 0 FOR UPDATE");
            assertThat(cleanUp.cleanUp()).isEqualTo("dead readers and idle keys: 12");
            other.rollback();
        }
    }

    /** A process can stop anywhere. Then the key that it was just removing is locked, and no other. */
    @Test
    void newKeyIsTakenWhileTheCleanUpHasStoppedBeforeItsDelete() throws Exception {
        used("a");
        shift("a", "acquired_at", ofDays(8));
        List<Boolean> taken = new ArrayList<>();
        try (HikariDataSource pool = Pools.locks(schema)) {
            DataSource stopping = new BeforeStatement(
                    pool, sql -> sql.startsWith("DELETE l FROM JSON_TABLE("), () -> taken.add(rival.canTake("new")));
            LockDatabase database = new LockDatabase(stopping, 8, ofSeconds(2));
            assertThat(new TableCleanUp(database, Node.PREFIX, ofDays(7), ofDays(7)).cleanUp())
                    .isEqualTo("dead readers and idle keys: 1");
        }
        assertThat(taken).containsExactly(true);
    }

    /** The first time there may be no floor, without which no gate goes. */
    private void removeIdle(String key) {
        used(key);
        shift(key, "acquired_at", ofDays(8));
        await().until(() -> {
            cleanUp.cleanUp();
            return gates(key) == 0;
        });
    }

    /** Leaves time to a load. */
    @Test
    void batchOfGatesIsFollowedByARestThreeTimesAsLong() throws Exception {
        removeIdle("a");
        used("b");
        shift("b", "acquired_at", ofDays(8));
        try (HikariDataSource pool = Pools.locks(schema)) {
            DataSource slow = new BeforeStatement(
                    pool,
                    sql -> sql.startsWith("DELETE l FROM JSON_TABLE("),
                    () -> LockSupport.parkNanos(ofMillis(50).toNanos()));
            LockDatabase database = new LockDatabase(slow, 8, ofSeconds(2));
            long begin = System.nanoTime();
            assertThat(new TableCleanUp(database, Node.PREFIX, ofDays(7), ofDays(7)).cleanUp())
                    .isEqualTo("dead readers and idle keys: 1");
            assertThat(ofNanos(System.nanoTime() - begin)).isGreaterThan(ofMillis(200));
        }
    }

    /** The key was acquired and released since the clean-up saw it, by a clock that was set back. */
    @Test
    void gateWhoseTokenTheFloorDoesNotReachStays() {
        removeIdle("b");
        used("a");
        shift("a", "acquired_at", ofDays(8));
        try (HikariDataSource pool = Pools.locks(schema)) {
            DataSource meanwhile = new BeforeStatement(
                    pool,
                    sql -> sql.endsWith("ORDER BY lock_key FOR UPDATE SKIP LOCKED"),
                    () -> table.sql.update(
                            "UPDATE rowlock_lock SET fence = fence + 1 WHERE lock_key = 'a' AND slot = 0"));
            LockDatabase database = new LockDatabase(meanwhile, 8, ofSeconds(2));
            assertThat(new TableCleanUp(database, Node.PREFIX, ofDays(7), ofDays(7)).cleanUp())
                    .isEmpty();
        }
        assertThat(gates("a")).isOne();
        assertThat(cleanUp.cleanUp()).isEqualTo("dead readers and idle keys: 1");
    }

    @Test
    void keyOfAnyBytesIsNoEndlessRound() {
        byte[] odd = {(byte) 0xff, 0, (byte) 0xc3};
        table.sql.update(
                "INSERT INTO rowlock_lock VALUES (?, 0, 0, '', 5, '2020-01-01', '1970-01-01', 0, 0)", (Object) odd);
        table.sql.update(
                "INSERT INTO rowlock_lock VALUES (?, 9, 0, '', 5, '2020-01-01', '1970-01-01', 0, 0)", (Object) odd);
        assertThat(cleanUp.cleanUp()).isEqualTo("dead readers and idle keys: 2");
        assertThat(count("rowlock_lock")).isOne();
    }

    @Test
    void gateMadeAgainHandsOutNoOlderTokenThoughTheClockWasSetBack() throws Exception {
        HeldLock before = node.take("a");
        before.close();
        shift("a", "acquired_at", ofDays(8));
        cleanUp.cleanUp();
        assertThat(gates("a")).isZero();
        Node past = closing(new Node(
                Pools.locks(schema, "SET SESSION timestamp = UNIX_TIMESTAMP() - 86400"), "past", Node.Logging.OFF));
        HeldLock reader = past.client.acquire(LockRequest.shared("a").withRenewal(false));
        long lastHandedOn = before.fencingToken() + Lease.MOST_HANDOFFS;
        assertThat(reader.fencingToken()).isGreaterThanOrEqualTo(lastHandedOn);
        reader.close();
        HeldLock after = past.client.acquire(LockRequest.exclusive("a").withRenewal(false));
        assertThat(after.fencingToken()).isGreaterThan(reader.fencingToken());
        after.close();
    }

    @Test
    void emptiedTableTakesLocksAgain() {
        table.sql.update("DELETE FROM rowlock_lock");
        assertThat(node.canTake("a")).isTrue();
        table.sql.update("DELETE FROM rowlock_lock");
        node.read("b").close();
        assertThat(count("rowlock_lock WHERE lock_key = 'b' AND slot = 0")).isOne();
    }

    @Test
    void withoutFloorNoGateIsRemovedButTheFloorComesBack() {
        used("a");
        shift("a", "acquired_at", ofDays(8));
        table.sql.update("DELETE FROM rowlock_lock WHERE lock_key = ''");
        assertThat(cleanUp.cleanUp()).isEmpty();
        assertThat(gates("a")).isOne();
        assertThat(cleanUp.cleanUp()).isEqualTo("dead readers and idle keys: 1");
    }

    @Test
    void lockingAndCleaningTogetherLosesNothingAndNeverDeadlocks() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        Map<String, Long> tokens = new ConcurrentHashMap<>();
        AtomicInteger inside = new AtomicInteger();
        List<Other<Integer>> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            LockDatabase database = (i == 0 ? node : rival).database;
            Maintenance eager = new TableCleanUp(database, Node.PREFIX, ofNanos(1_000), 1, ofSeconds(30), ofDays(1), 0);
            threads.add(Other.does(() -> {
                int removed = 0;
                while (!over.get()) {
                    removed += eager.cleanUp().isEmpty() ? 0 : 1;
                }
                return removed;
            }));
        }
        List<Other<Integer>> users = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int number = i;
            Node mine = i % 2 == 0 ? node : rival;
            users.add(Other.does(() -> use(mine, number, tokens, inside)));
        }
        for (Other<Integer> user : users) {
            assertThat(user.get()).isEqualTo(15);
        }
        over.set(true);
        int rounds = 0;
        for (Other<Integer> thread : threads) {
            rounds += thread.get();
        }
        assertThat(rounds).isPositive();
        assertThat(table.balance()).isEqualTo(4 * 15);
    }

    private int use(Node mine, int number, Map<String, Long> tokens, AtomicInteger inside) {
        int done = 0;
        for (; done < 15; done++) {
            if (number < 4) {
                mine.client.execute(LockRequest.exclusive("sum").withWaitTime(ofSeconds(30)), () -> {
                    assertThat(inside.incrementAndGet()).isOne();
                    table.sql.update("UPDATE account SET balance = ? WHERE id = 1", table.balance() + 1);
                    inside.decrementAndGet();
                });
            } else {
                String key = "k" + done % 3;
                HeldLock lock =
                        mine.client.acquire((done % 2 == 0 ? LockRequest.shared(key) : LockRequest.exclusive(key))
                                .withWaitTime(ofSeconds(30)));
                long token = lock.fencingToken();
                assertThat(token).isGreaterThanOrEqualTo(tokens.getOrDefault(number + key, 0L));
                tokens.put(number + key, token);
                lock.close();
            }
        }
        return done;
    }

    // ---- the log

    private void entry(String key, String status, Duration age) {
        table.sql.update(
                "INSERT INTO rowlock_lock_log"
                        + " (lock_key, strategy, mode, owner, fence, status, acquired_at, waited_micros)"
                        + " VALUES (?, 'lease', 'EXCLUSIVE', 'dead', 1, ?, UTC_TIMESTAMP(6) - INTERVAL ? SECOND, 0)",
                key,
                status,
                age.toSeconds());
    }

    private List<String> statuses(String key) {
        return table.sql.queryForList(
                "SELECT status FROM rowlock_lock_log WHERE lock_key = ? ORDER BY id", String.class, key);
    }

    private void awaitStatus(String key, String status) {
        await().atMost(ofSeconds(20)).until(() -> statuses(key).equals(List.of(status)));
    }

    @Test
    void grantsOfKilledProcessesAreExpired() {
        entry("killed", "HELD", ofMinutes(2));
        entry("killed", "COMPLETED", ofMinutes(2));
        entry("killed", "RELEASED", ofMinutes(2));
        entry("killed", "LOST", ofMinutes(2));
        entry("recent", "HELD", ofSeconds(10));
        assertThat(cleanUp.cleanUp()).contains("log rows of expired leases: 2");
        assertThat(statuses("killed")).containsExactly("EXPIRED", "EXPIRED", "RELEASED", "LOST");
        assertThat(statuses("recent")).containsExactly("HELD");
        assertThat(count("rowlock_lock_log WHERE status = 'EXPIRED' AND released_at IS NULL"))
                .isZero();
    }

    @Test
    void grantThatIsHeldForLongIsNotExpired() {
        Node logged = closing(new Node(Pools.locks(schema), "logged", Node.Logging.ASYNC));
        try (HeldLock writer = logged.take("wörk");
                HeldLock reader = logged.read("read")) {
            assertThat(writer.isHeld() && reader.isHeld()).isTrue();
            awaitStatus("wörk", "HELD");
            awaitStatus("read", "HELD");
            table.sql.update("UPDATE rowlock_lock_log SET acquired_at = acquired_at - INTERVAL 1 DAY");
            cleanUp.cleanUp();
            assertThat(statuses("wörk")).containsExactly("HELD");
            assertThat(statuses("read")).containsExactly("HELD");
        }
        awaitStatus("wörk", "RELEASED");
    }

    @Test
    void releaseThatIsNotedLateWinsOverExpired() {
        Node logged = closing(new Node(Pools.locks(schema), "logged", Node.Logging.ASYNC));
        HeldLock lock = logged.take("a");
        awaitStatus("a", "HELD");
        table.sql.update("UPDATE rowlock_lock_log SET status = 'EXPIRED'");
        lock.close();
        awaitStatus("a", "RELEASED");
    }

    @Test
    void oldRowsGoButNotOfGrantsThatLast() {
        entry("old", "RELEASED", ofDays(8));
        entry("old", "EXPIRED", ofDays(8));
        entry("new", "RELEASED", ofDays(6));
        Node logged = closing(new Node(Pools.locks(schema), "logged", Node.Logging.ASYNC));
        try (HeldLock lock = logged.take("held")) {
            assertThat(lock.isHeld()).isTrue();
            awaitStatus("held", "HELD");
            table.sql.update(
                    "UPDATE rowlock_lock_log SET acquired_at = acquired_at - INTERVAL 9 DAY WHERE lock_key = 'held'");
            assertThat(cleanUp.cleanUp()).contains("old log rows: 2");
        }
        assertThat(statuses("old")).isEmpty();
        assertThat(statuses("new")).hasSize(1);
        awaitStatus("held", "RELEASED");
    }

    @Test
    void manyRowsGoPageByPageAndLockedOnesStay() throws Exception {
        List<Object[]> rows = new ArrayList<>();
        for (int i = 0; i < 1_100; i++) {
            rows.add(new Object[] {"k" + i});
        }
        table.sql.batchUpdate(
                "INSERT INTO rowlock_lock_log"
                        + " (lock_key, strategy, mode, owner, fence, status, acquired_at, waited_micros)"
                        + " VALUES (?, 'lease', 'EXCLUSIVE', 'x', 1, 'RELEASED', '2020-01-01', 0)",
                rows);
        try (Connection other = schema.dataSource().getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT id FROM rowlock_lock_log WHERE lock_key = 'k7' FOR UPDATE");
            cleanUp.cleanUp();
            assertThat(count("rowlock_lock_log")).isBetween(1, 600);
            other.rollback();
        }
        cleanUp.cleanUp();
        assertThat(count("rowlock_lock_log")).isZero();
    }

    // ---- the job

    @Test
    void jobIsDoneByOneNodeAnInterval() {
        AtomicInteger rounds = new AtomicInteger();
        Maintenance counting = () -> "round " + rounds.incrementAndGet();
        try (CleanUpJob one = new CleanUpJob(node.client, counting, ofMinutes(1));
                CleanUpJob two = new CleanUpJob(rival.client, counting, ofMinutes(1))) {
            one.run();
            assertThat(rounds).hasValue(1);
            two.run();
            one.run();
            assertThat(rounds).hasValue(1);
            assertThat(rival.client.admin().holders(CleanUpJob.KEY))
                    .singleElement()
                    .satisfies(job -> assertThat(job.remaining()).isGreaterThan(Duration.ofSeconds(35)));
            table.age(CleanUpJob.KEY);
            two.run();
        }
        assertThat(rounds).hasValue(2);
    }

    @Test
    void jobGoesOnAfterAFailure() {
        AtomicInteger rounds = new AtomicInteger();
        Maintenance failing = () -> {
            if (rounds.incrementAndGet() == 1) {
                throw new LockStoreException("no database", null);
            }
            return "";
        };
        try (CleanUpJob job = new CleanUpJob(node.client, failing, ofMillis(50))) {
            assertThat(job).isNotNull();
            await().atMost(ofSeconds(20)).until(() -> rounds.get() >= 3);
        }
    }

    /** Throws as the program's own appender, or filter, may. Ends with the removal of the appender. */
    private static Closeable noLogOf(Class<?> type) {
        Logger logger = (Logger) LoggerFactory.getLogger(type);
        ListAppender<ILoggingEvent> full = new ListAppender<>() {
            @Override
            public synchronized void doAppend(ILoggingEvent event) {
                throw new IllegalStateException("the disk is full");
            }
        };
        logger.addAppender(full);
        return () -> logger.detachAppender(full);
    }

    @Test
    void tableThatCannotBeCleanedKeepsNoOtherFromItThoughThatCannotBeLogged() throws Exception {
        node.client.acquire(LockRequest.shared("dead").withRenewal(false));
        shift("dead", "expires_at", ofMinutes(2));
        table.sql.execute("RENAME TABLE rowlock_lock_log TO elsewhere");
        table.sql.execute("RENAME TABLE rowlock_unique_key TO elsewhere_too");
        try (Closeable logged = noLogOf(TableCleanUp.class)) {
            assertThat(logged).isNotNull();
            assertThat(cleanUp.cleanUp()).isEqualTo("dead readers and idle keys: 1");
        } finally {
            table.sql.execute("RENAME TABLE elsewhere TO rowlock_lock_log, elsewhere_too TO rowlock_unique_key");
        }
    }

    @Test
    void jobGoesOnThoughItsFailureCannotBeLogged() throws Exception {
        AtomicInteger rounds = new AtomicInteger();
        Maintenance failing = () -> {
            throw new LockStoreException("no database", new SQLException("round " + rounds.incrementAndGet()));
        };
        try (Closeable logged = noLogOf(CleanUpJob.class);
                CleanUpJob job = new CleanUpJob(node.client, failing, ofMillis(50))) {
            assertThat(logged).isNotNull();
            await().atMost(ofSeconds(20)).until(() -> rounds.get() >= 3);
        }
    }
}
