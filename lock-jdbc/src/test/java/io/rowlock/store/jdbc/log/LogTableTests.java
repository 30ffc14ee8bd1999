package io.rowlock.store.jdbc.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockMode;
import io.rowlock.store.Lease;
import io.rowlock.store.LockLog.LogFilter;
import io.rowlock.store.LockLog.LogRow;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import io.rowlock.test.database.TestSchema;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

@OnEachServer(dependsOnServer = true)
class LogTableTests {
    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger changes = new AtomicInteger();
    private final LogEntry grant = entry("key", 1);
    private final List<String> queries = new ArrayList<>();
    private String explain = "";
    private LogTable table;
    private JdbcTemplate sql;

    @BeforeEach
    void open(DataSource dataSource) {
        Connection session = DataSourceUtils.getConnection(dataSource);
        sql = new JdbcTemplate(new SingleConnectionDataSource(session, true));
        table = new LogTable(
                new LockDatabase(new SingleConnectionDataSource(noting(session), true), 8, Duration.ofSeconds(30)),
                new TablePrefix("rowlock_"));
    }

    /** Returns a grant whose changes are counted. */
    private LogEntry entry(String key, long token) {
        Lease lease = new Lease(key, LockMode.EXCLUSIVE, 0, token, "me");
        return new LogEntry(
                new LogEntry.Grant("lease", lease, token, Duration.ZERO),
                nanos::get,
                changed -> changes.incrementAndGet());
    }

    /** Returns grants whose tokens count from zero and end their keys. */
    private List<LogEntry> entries(int number, String keys) {
        return IntStream.range(0, number).mapToObj(i -> entry(keys + i, i)).toList();
    }

    private static List<LogEntry.Row> rows(List<LogEntry> entries) {
        return entries.stream().map(LogEntry::snapshot).toList();
    }

    /** Notes each query with its values, which the driver's statements show. */
    private Connection noting(Connection session) {
        return (Connection) noting(Connection.class, session);
    }

    private Object noting(Class<?> type, Object real) {
        return Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().startsWith("execute")) {
                        queries.add(real.toString().replaceFirst("^[^:]*: ", ""));
                    }
                    try {
                        Object result = method.invoke(real, arguments);
                        return method.getName().equals("prepareStatement")
                                ? noting(PreparedStatement.class, result)
                                : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** What was written before took longer to arrive, so that its times are later than they were. */
    @Test
    void noTimeIsBeforeOneThatWasWrittenBefore() {
        write();
        grant.completed();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(60));
        write();
        assertThat(row().completedAt()).isEqualTo(row().acquiredAt());
        grant.released();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(60));
        write();
        assertThat(row().releasedAt()).isEqualTo(row().completedAt());
    }

    @Test
    void rowKeepsTheDistanceOfWhatIsWrittenAtOnce() throws Exception {
        write();
        grant.completed();
        nanos.addAndGet(1_000_000);
        grant.released();
        TimeUnit.MILLISECONDS.sleep(10); // so that a millisecond before the next write is after the first one
        write();
        LogRow row = row();
        assertThat(row.completedAt()).isAfter(row.acquiredAt());
        assertThat(row.releasedAt()).isEqualTo(row.completedAt().plusMillis(1));
    }

    @Test
    void completionIsTheLastOne() {
        write();
        sql.update("UPDATE rowlock_lock_log SET acquired_at = acquired_at - INTERVAL 1 HOUR WHERE lock_key = 'key'");
        grant.completed();
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(30));
        write();
        Instant first = row().completedAt();
        grant.completed();
        write();
        assertThat(row().completedAt()).isAfter(first.plus(Duration.ofMinutes(29)));
    }

    /** A lock around many transactions; its end tells the last commit. */
    @Test
    void commitIsWrittenAgainAfterAWhileAlone() {
        LogEntry often = entry("often", 1);
        for (int second = 0; second < 12; second++) {
            int before = changes.get();
            often.completed();
            if (changes.get() > before) {
                assertThat(often.snapshot().completedAgo()).isZero();
                often.written(1);
            }
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        }
        assertThat(changes).hasValue(3);
        nanos.addAndGet(-TimeUnit.SECONDS.toNanos(1));
        often.completed();
        often.released();
        assertThat(often.snapshot().completedAgo()).isZero();
    }

    /** The statement that is under way does not have it. */
    @Test
    void commitWhileItsRowIsWrittenIsWrittenWithTheNextStatement() {
        LogEntry entry = entry("under way", 1);
        entry.begin();
        LogEntry.Row underWay = entry.snapshot();
        entry.completed();
        assertThat(changes).hasValue(2);
        table.write(List.of(underWay));
        LogEntry.Row next = entry.snapshot();
        assertThat(next.status()).isEqualTo(LogEntry.Status.COMPLETED);
        assertThat(next.completedAgo()).isZero();
        nanos.addAndGet(1_000_000);
        entry.completed(); // so soon that its end tells it
        assertThat(changes).hasValue(2);
        table.write(List.of(next));
        entry.released();
        assertThat(entry.snapshot().completedAgo()).isZero();
    }

    /** MariaDB's driver returns one generated key for several rows. */
    @ParameterizedTest
    @ValueSource(strings = {"jdbc:mysql:", "jdbc:mariadb:"})
    void endOfAGrantIsWrittenToItsOwnRow(String driver, TestSchema schema) {
        DataSource pool = new DriverManagerDataSource(
                schema.jdbcUrl().replace("jdbc:mysql:", driver), schema.username(), schema.password());
        LogTable driven = new LogTable(new LockDatabase(pool, 8, Duration.ofSeconds(30)), new TablePrefix("rowlock_"));
        String keys = driver + "own:";
        List<LogEntry> grants = entries(200, keys);
        driven.write(rows(grants));
        for (int released : new int[] {1, 64, 130, 199}) {
            grants.get(released).released();
            driven.write(List.of(grants.get(released).snapshot()));
        }
        assertThat(sql.queryForObject(
                        "SELECT COUNT(*) FROM rowlock_lock_log WHERE lock_key LIKE ?", Integer.class, keys + '%'))
                .isEqualTo(200);
        assertThat(sql.queryForList(
                        "SELECT fence FROM rowlock_lock_log WHERE lock_key LIKE ? AND status = 'RELEASED' ORDER BY fence",
                        Integer.class,
                        keys + '%'))
                .containsExactly(1, 64, 130, 199);
        grants.forEach(LogEntry::released);
        driven.write(rows(grants));
        assertThat(sql.queryForList(
                        "SELECT status FROM rowlock_lock_log WHERE lock_key LIKE ?", String.class, keys + '%'))
                .hasSize(200)
                .containsOnly("RELEASED");
    }

    /** As in a group of servers; a driver that counts on from the first key learned the step when it connected. */
    @Test
    void stepBetweenIdsIsTheServers() {
        sql.execute("SET SESSION auto_increment_increment = 7");
        List<LogEntry> grants = entries(8, "step:");
        table.write(rows(grants));
        grants.get(3).released();
        table.write(List.of(grants.get(3).snapshot()));
        assertThat(sql.queryForList(
                        "SELECT lock_key FROM rowlock_lock_log WHERE lock_key LIKE 'step:%' AND status = 'RELEASED'",
                        String.class))
                .containsExactly("step:3");
    }

    /** A released row changes no more; a commit may follow a loss. */
    @Test
    void idsAreReadOnlyOfRowsThatMayChange() {
        List<LogEntry> grants = entries(200, "final:");
        for (int i = 0; i < grants.size(); i++) {
            if (i == 185) {
                grants.get(i).lost();
            } else if (i < 180 || i % 10 != 0) {
                grants.get(i).released();
            }
        }
        queries.clear();
        table.write(rows(grants));
        assertThat(queries)
                .hasSize(5)
                .filteredOn(query -> query.startsWith("SELECT"))
                .hasSize(1);
        assertThat(sql.queryForList(
                        "SELECT fence FROM rowlock_lock_log WHERE lock_key LIKE 'final:%' ORDER BY id", Integer.class))
                .as("in the order of the grants")
                .isSorted();
        grants.forEach(LogEntry::completed);
        grants.get(190).lost();
        queries.clear();
        table.write(List.of(grants.get(185).snapshot(), grants.get(190).snapshot()));
        assertThat(queries).singleElement().asString().startsWith("UPDATE");
        assertThat(sql.queryForList(
                        "SELECT fence FROM rowlock_lock_log WHERE lock_key LIKE 'final:%' AND status = 'LOST'"
                                + " AND completed_at IS NOT NULL ORDER BY fence",
                        Integer.class))
                .containsExactly(185, 190);
        assertThat(sql.queryForObject(
                        "SELECT COUNT(*) FROM rowlock_lock_log WHERE lock_key LIKE 'final:%'", Integer.class))
                .isEqualTo(200);
    }

    /** A batch of a busy program has a change of a row of the batch before, so its new rows are no whole statements. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 63, 64, 127, 184, 191, 192})
    void aBatchOfAnySizeTakesFewStatements(int size) {
        String keys = "size:" + size + ':';
        List<LogEntry> grants = entries(size, keys);
        grants.forEach(LogEntry::released);
        queries.clear();
        table.write(rows(grants));
        assertThat(queries).hasSizeLessThanOrEqualTo(2 + (size - 1) / 64);
        assertThat(sql.update("DELETE FROM rowlock_lock_log WHERE lock_key LIKE ?", keys + '%'))
                .isEqualTo(size);
    }

    @Test
    void releasedRowIsNotWrittenAgainForALaterCommit() {
        LogEntry entry = entry("over", 1);
        entry.released();
        table.write(List.of(entry.snapshot()));
        entry.completed();
        entry.lost();
        assertThat(changes).hasValue(1);
    }

    private void granted(String key, String owner, String acquired, @Nullable String released) {
        sql.update(
                "INSERT INTO rowlock_lock_log (strategy, lock_key, mode, owner, fence, status, acquired_at, released_at, waited_micros)"
                        + " VALUES ('lease', ?, 'EXCLUSIVE', ?, 1, 'RELEASED', ?, ?, 0)",
                key,
                owner,
                acquired,
                released);
    }

    private List<String> owners(String prefix, @Nullable String from, @Nullable String to) {
        return table.find(new LogFilter(prefix, null, null, instant(from), instant(to), 10)).stream()
                .map(LogRow::owner)
                .toList();
    }

    private static @Nullable Instant instant(@Nullable String text) {
        return text == null ? null : Instant.parse(text);
    }

    @Test
    void historySaysWhoHeldAtATimeThoughItWasGrantedBefore() {
        granted("h:a", "ended before", "2020-01-01 10:00:00", "2020-01-01 13:59:59");
        granted("h:a", "held over it", "2020-01-01 13:00:00", "2020-01-01 15:00:00");
        granted("h:b", "holds still", "2020-01-01 12:00:00", null);
        granted("h:c", "granted after", "2020-01-01 14:30:00", "2020-01-01 14:31:00");
        granted("h:d", "granted later", "2020-01-01 16:00:00", "2020-01-01 16:01:00");
        assertThat(owners("h:", "2020-01-01T14:00:00Z", "2020-01-01T14:00:00.000001Z"))
                .containsExactly("held over it", "holds still");
        assertThat(owners("h:", "2020-01-01T14:00:00Z", "2020-01-01T15:00:00Z"))
                .containsExactly("granted after", "held over it", "holds still");
        assertThat(owners("h:", null, "2020-01-01T13:30:00Z"))
                .containsExactly("held over it", "holds still", "ended before");
    }

    @Test
    void prefixIsTextAndNoPattern() {
        granted("p%_|x", "found", "2020-01-01 10:00:00", null);
        granted("pab|x", "not", "2020-01-01 10:00:00", null);
        granted("P%_|x", "nor", "2020-01-01 10:00:00", null);
        assertThat(owners("p%_|", null, null)).containsExactly("found");
    }

    @Test
    void timesAreFromTheFirstAndBeforeTheLast() {
        granted("t:a", "at the first", "2020-01-01 10:00:00", "2020-01-01 10:00:01");
        granted("t:b", "at the last", "2020-01-01 11:00:00", "2020-01-01 11:00:01");
        assertThat(owners("t:", "2020-01-01T10:00:00Z", "2020-01-01T11:00:00Z")).containsExactly("at the first");
    }

    @Test
    void keyHasItsSpacesAndOwnerIsAName() {
        granted("k:a", "me", "2020-01-01 10:00:00", null);
        granted("k:a ", "you", "2020-01-01 10:00:00", null);
        assertThat(table.find(new LogFilter("", "k:a", null, null, null, 10)))
                .singleElement()
                .extracting(LogRow::owner)
                .isEqualTo("me");
        assertThat(table.find(new LogFilter("k:", null, "you", null, null, 10)))
                .singleElement()
                .extracting(LogRow::key)
                .isEqualTo("a ");
    }

    @Test
    void applicationWithoutAPrefixDoesNotSeeKeysOfThoseThatHaveOne() {
        granted("plain-of-none", "none", "2020-01-01 10:00:00", null);
        granted("shop\u001fplain", "shop", "2020-01-01 10:00:00", null);
        assertThat(table.find(new LogFilter("", null, "none", null, null, 10))).hasSize(1);
        assertThat(table.find(new LogFilter("", null, "shop", null, null, 10))).isEmpty();
    }

    @Test
    void limitCountsWhatWasHeldBeforeAsWell() {
        granted("l:a", "before", "2020-01-01 09:00:00", null);
        granted("l:b", "before", "2020-01-01 09:00:01", null);
        granted("l:c", "since", "2020-01-01 10:00:00", null);
        assertThat(table.find(new LogFilter("l:", null, null, instant("2020-01-01T10:00:00Z"), null, 2)))
                .extracting(LogRow::key)
                .containsExactly("c", "b");
    }

    @Test
    void noteIsCutToItsColumn() {
        table.ended("lease", new LiveLock("n:a", LockMode.EXCLUSIVE, 0, "me", 1L, null, null, 0), "x".repeat(300));
        assertThat(table.find(new LogFilter("n:", null, null, null, null, 10)))
                .singleElement()
                .extracting(LogRow::note)
                .isEqualTo("x".repeat(255));
    }

    /** At two million rows to read all takes longer than a statement may. */
    @Test
    void historyOfARareOwnerOrPrefixOrTimeReadsFewRows(DatabaseServer server) {
        explain = server.flavor() == ServerFlavor.MYSQL ? "EXPLAIN FORMAT=TRADITIONAL " : "EXPLAIN ";
        sql.update("DELETE FROM rowlock_lock_log");
        granted("rare:1", "rare", "2020-01-01 10:00:00", "2020-01-01 20:00:00");
        granted("k:0", "usual", "2019-12-30 10:00:00", "2019-12-30 10:00:01");
        for (int i = 0; i < 14; i++) {
            sql.update(
                    "INSERT INTO rowlock_lock_log (strategy, lock_key, mode, owner, fence, status, acquired_at, released_at, waited_micros)"
                            + " SELECT strategy, CONCAT('k:', id), mode, owner, fence, status, acquired_at + INTERVAL id SECOND,"
                            + " released_at + INTERVAL id SECOND, 0 FROM rowlock_lock_log WHERE owner = 'usual'");
        }
        sql.execute("ANALYZE TABLE rowlock_lock_log");
        Instant then = Instant.parse("2020-01-01T14:00:00Z");
        Instant justAfter = then.plusSeconds(1);
        assertReadsFewRows("by_owner", new LogFilter("", null, "rare", null, null, 10));
        assertReadsFewRows("by_key", new LogFilter("rare:", null, null, null, null, 10));
        assertReadsFewRows("by_owner", new LogFilter("", null, "rare", then, justAfter, 10));
        assertReadsFewRows("by_key", new LogFilter("rare:", null, null, then, justAfter, 10));
        assertReadsFewRows("by_end", new LogFilter("", null, null, then, justAfter, 10));
        sql.update("UPDATE rowlock_lock_log SET status = 'HELD', released_at = NULL WHERE owner = 'rare'");
        assertFindsOpenRow("by_end", table.expired::markExpired);
        sql.update("UPDATE rowlock_lock_log SET status = 'HELD', released_at = NULL WHERE owner = 'rare'");
        assertFindsOpenRow(
                "by_key",
                () -> table.expired.markExpired("lease", new Lease("rare:1", LockMode.EXCLUSIVE, 0, 1, "rare")));
    }

    private void assertFindsOpenRow(String index, Runnable cleanUp) {
        long before = rowsRead();
        queries.clear();
        cleanUp.run();
        assertThat(rowsRead() - before).as(index).isLessThan(1_000);
        assertThat(sql.queryForList("SELECT status FROM rowlock_lock_log WHERE owner = 'rare'", String.class))
                .containsExactly("EXPIRED");
        assertThat(sql.queryForList(explain + queries.get(0)).get(0)).containsEntry("key", "rowlock_lock_log_" + index);
    }

    /** @param index of one of its statements; none reads the whole table */
    private void assertReadsFewRows(String index, LogFilter filter) {
        long before = rowsRead();
        queries.clear();
        assertThat(table.find(filter)).extracting(LogRow::owner).containsExactly("rare");
        assertThat(rowsRead() - before).as(filter.toString()).isLessThan(1_000);
        List<Map<String, Object>> plans = queries.stream()
                .flatMap(query -> sql.queryForList(explain + query).stream())
                .toList();
        assertThat(plans)
                .as(filter.toString())
                .isNotEmpty()
                .allSatisfy(plan -> assertThat(plan.get("type")).isNotIn("ALL", "index"));
        assertThat(plans)
                .as(filter.toString())
                .extracting(plan -> plan.get("key"))
                .contains("rowlock_lock_log_" + index);
    }

    /** Of the one session. */
    private long rowsRead() {
        return sql.queryForList("SHOW SESSION STATUS LIKE 'Handler_read%'").stream()
                .mapToLong(row -> Long.parseLong(String.valueOf(row.get("Value"))))
                .sum();
    }

    private void write() {
        table.write(List.of(grant.snapshot()));
    }

    /** The latest. */
    private LogRow row() {
        return table.find(new LogFilter("", "key", null, null, null, 1)).get(0);
    }
}
