package io.rowlock.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockEvent;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.Http;
import io.rowlock.autoconfigure.application.OtherNode;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Principal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.StatementCallback;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What somebody on call sees of the locks of two nodes, and does to them. */
@OnEachServer
@ExtendWith(OutputCaptureExtension.class)
class EndpointTests {
    private static final List<String> STRATEGIES = List.of("lease", "unique-key", "row-lock");

    private static FreshSchema schema;
    private static ConfigurableApplicationContext context;
    private static Http http;
    private static LockClient locks;
    private static OtherNode other;

    /** As it stands in the runbook. */
    private static String forcedBySql;

    @BeforeServer
    static void start(DatabaseServer server) throws IOException {
        forcedBySql = Pattern.compile("(?s)```sql\n(SET @lock_key.*?)```")
                .matcher(Files.readString(Path.of("..", "docs", "runbook.md")))
                .results()
                .map(block -> block.group(1))
                .findFirst()
                .orElseThrow();
        schema = FreshSchema.on(server);
        schema.jdbc().execute("CREATE TABLE work (id INT)");
        context = new TestApplication(schema, LoggedIn.class)
                .withWeb()
                .with("spring.application.name", "shop")
                .with("management.endpoints.web.exposure.include", "rowlock,rowlockhistory,health")
                .with("management.endpoint.rowlock.access", "unrestricted")
                .with("management.endpoint.health.show-details", "always")
                .with("rowlock.pool.query-timeout", "30s") // half of it is how long a try without patience waits
                .start();
        http = new Http(context);
        locks = context.getBean(LockClient.class);
        other = OtherNode.on(schema);
    }

    @AfterServer
    static void stop() {
        if (other != null) {
            other.close();
        }
        if (context != null) {
            context.close();
        }
        schema.close();
    }

    @Test
    void listShowsWhoHoldsWhat() {
        try (HeldLock lock = locks.acquire(LockRequest.exclusive("order:42"));
                HeldLock reader = other.lockShared("order:7")) {
            Http.Answer answer = http.get("rowlock?prefix=order:");
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.<List<String>>at("$.locks[*].key")).containsExactly("order:42", "order:7");
            Map<String, Object> own = answer.at("$.locks[0]");
            assertThat(own)
                    .containsEntry("name", "order")
                    .containsEntry("mode", "EXCLUSIVE")
                    .containsEntry("thisNode", true)
                    .containsEntry("localWaiters", 0)
                    .containsEntry("strategy", "lease");
            assertThat(((Number) own.get("token")).longValue()).isEqualTo(lock.fencingToken());
            assertThat((String) own.get("owner")).startsWith("shop@");
            assertThat((String) own.get("remaining")).startsWith("PT2");
            assertThat((String) own.get("since")).endsWith("Z");
            Map<String, Object> readers = answer.at("$.locks[1]");
            assertThat(readers).containsEntry("mode", "SHARED").containsEntry("thisNode", false);
            assertThat(((Number) readers.get("token")).longValue()).isEqualTo(reader.fencingToken());
            assertThat((String) readers.get("owner")).startsWith("other@");
        }
        assertThat(http.get("rowlock?prefix=order:").<List<?>>at("$.locks")).isEmpty();
    }

    @Test
    void lockIsShownByTheNameItsHolderGaveIt() {
        try (HeldLock lock = locks.acquire(LockRequest.exclusive("7f3a:1").withName("invoice"));
                HeldLock unnamed = other.lockShared("7f3a")) {
            assertThat(http.get("rowlock/" + lock.key()).<String>at("$.holders[0].name"))
                    .isEqualTo("invoice");
            assertThat(http.get("rowlock/" + unnamed.key()).<String>at("$.holders[0].name"))
                    .isEqualTo("other");
        }
    }

    @Test
    void lockThatIsOnlyKeptIsSinceNoTime() {
        locks.acquire(LockRequest.exclusive("kept:1").withHoldAtLeast(Duration.ofMinutes(5)))
                .close();
        assertThat(http.get("rowlock?prefix=kept:").<Map<String, Object>>at("$.locks[0]"))
                .containsKey("remaining")
                .doesNotContainKey("since");
    }

    @Test
    void localWaitersAreCounted() throws Exception {
        HeldLock lock = locks.acquire(LockRequest.exclusive("wait:1"));
        List<CompletableFuture<Void>> waiters = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            // The common pool has one thread on two cores
            waiters.add(CompletableFuture.runAsync(
                    () -> locks.acquire(LockRequest.exclusive("wait:1")).close(), task -> new Thread(task).start()));
        }
        await().until(() -> http.get("rowlock?prefix=wait:").<Integer>at("$.locks[0].localWaiters") == 2);
        Http.Answer answer = http.get("rowlock/wait:1");
        assertThat(answer.<Integer>at("$.localWaiters")).isEqualTo(2);
        assertThat(http.get("rowlock").<Integer>at("$.node.waiting")).isEqualTo(2);
        lock.close();
        for (CompletableFuture<Void> waiter : waiters) {
            waiter.get();
        }
        assertThat(http.get("rowlock").<Integer>at("$.node.waiting")).isZero();
    }

    /** On MariaDB it cannot be seen that the other node has the row lock. */
    @Test
    void waitersAreCountedWhetherOrNotTheHolderIsSeen() throws Exception {
        LockRequest request = LockRequest.exclusive("wait:2").withStrategy("row-lock");
        HeldLock lock = other.lock(request);
        CompletableFuture<Void> waiter =
                CompletableFuture.runAsync(() -> locks.acquire(request).close());
        await().untilAsserted(() -> {
            Http.Answer answer = http.get("rowlock/wait:2");
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.<Integer>at("$.localWaiters")).isEqualTo(1);
        });
        lock.close();
        waiter.get();
    }

    @Test
    void pagesShowEveryLockOnce() {
        List<HeldLock> held = new ArrayList<>();
        List<String> keys = new ArrayList<>();
        for (String key : List.of("page:a", "page:b", "page:ä", "page:\uFFFD", "page:\uD83D\uDE00")) {
            for (String strategy : STRATEGIES) {
                held.add(locks.acquire(LockRequest.exclusive(key).withStrategy(strategy)));
                keys.add(key + " " + strategy);
            }
        }
        held.add(locks.acquire(LockRequest.exclusive("pagf")));
        held.add(locks.acquire(LockRequest.exclusive("pag")));
        List<String> seen = new ArrayList<>();
        String next = null;
        do {
            Http.Answer page = http.get("rowlock?prefix=page:&limit=4" + (next == null ? "" : "&after=" + next));
            page.<List<Map<String, String>>>at("$.locks")
                    .forEach(lock -> seen.add(lock.get("key") + " " + lock.get("strategy")));
            next = page.<Map<String, String>>at("$").get("next");
        } while (next != null);
        assertThat(seen).containsExactlyInAnyOrderElementsOf(keys);
        assertThat(seen.subList(0, 3)).containsExactly("page:a lease", "page:b lease", "page:ä lease");
        held.forEach(HeldLock::close);
    }

    @Test
    void nodeTellsOfItself() {
        try (HeldLock lock = locks.acquire(LockRequest.exclusive("node:1"))) {
            Http.Answer answer = http.get("rowlock?limit=1");
            assertThat(lock.isHeld()).isTrue();
            assertThat(answer.<Integer>at("$.node.held")).isPositive();
            assertThat(answer.<Integer>at("$.node.atRisk")).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "limit=0, 1 to 1000",
        "limit=1001, 1 to 1000",
        "after=nonsense, nonsense",
    })
    void badParametersAreRefusedWithASentence(String query, String part) {
        Http.Answer answer = http.get("rowlock?" + query);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.<String>at("$.error")).contains(part);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rowlock?limit=many", "rowlockhistory?limit=many", "rowlockhistory?from=yesterday"})
    void parametersThatAreNoNumberAndNoTimeAreRefused(String question) {
        assertThat(http.get(question).status()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"order:1", "a/b", "a b/c d:e", "ü/€", "50%25/+;x=y?&#", "\"'"})
    void keysOfAllKindsAreFoundByTheirPath(String key) {
        HeldLock lock = locks.acquire(LockRequest.exclusive(key));
        Http.Answer answer = http.get("rowlock/" + Http.path(key));
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        assertThat(answer.<String>at("$.key")).isEqualTo(key);
        assertThat(answer.<List<String>>at("$.holders[*].key")).containsExactly(key);
        assertThat(http.delete("rowlock/" + Http.path(key)).status()).isEqualTo(204);
        assertThat(lock.isHeld()).isFalse();
        lock.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a//b/", " ", "a,b ", "../x", "\\"})
    void keysThatNoPathCanSayAreParameters(String key) {
        HeldLock lock = locks.acquire(LockRequest.exclusive(key));
        String query = "?key=" + java.net.URLEncoder.encode(key, java.nio.charset.StandardCharsets.UTF_8);
        assertThat(http.get("rowlock" + query).<List<String>>at("$.holders[*].key"))
                .containsExactly(key);
        assertThat(http.delete("rowlock" + query).status()).isEqualTo(204);
        assertThat(lock.isHeld()).isFalse();
        lock.close();
    }

    @Test
    void pathAndParameterThatNameTwoLocksReleaseNeither() {
        try (HeldLock lock = locks.acquire(LockRequest.exclusive("order:42"))) {
            assertThat(http.delete("rowlock/jobs/a?key=order:42").status()).isEqualTo(400);
            assertThat(lock.isHeld()).isTrue();
        }
    }

    /** The path is served for reading, so it is the method that is not allowed. */
    @Test
    void nothingIsReleasedUnlessAccessIsUnrestricted() {
        try (var careful = new TestApplication(schema)
                        .withWeb()
                        .with("management.endpoints.web.exposure.include", "rowlock")
                        .start();
                HeldLock lock = locks.acquire(LockRequest.exclusive("careful:1"))) {
            Http there = new Http(careful);
            assertThat(there.delete("rowlock/careful:1").status()).isEqualTo(405);
            assertThat(there.delete("rowlock?key=careful:1").status()).isEqualTo(405);
            assertThat(there.get("rowlock/careful:1").<List<String>>at("$.holders[*].key"))
                    .containsExactly("careful:1");
            assertThat(lock.isHeld()).isTrue();
        }
    }

    @Test
    void unknownKeysAreNotFound() {
        Http.Answer free = http.get("rowlock/no:such");
        assertThat(free.status()).isEqualTo(404);
        assertThat(free.<String>at("$.error")).startsWith("\"no:such\" is not held.");
        Http.Answer answer = http.delete("rowlock/no:such");
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.<String>at("$.error")).contains("no:such");
        assertThat(http.delete("rowlock").status()).isEqualTo(400);
    }

    @Test
    void oneKeyShowsItsLastGrants() {
        locks.acquire(LockRequest.exclusive("log:1")).close();
        try (HeldLock lock = locks.acquire(LockRequest.exclusive("log:1"))) {
            await().untilAsserted(() -> {
                Http.Answer answer = http.get("rowlock/log:1");
                assertThat(answer.<List<String>>at("$.log[*].status")).containsExactly("HELD", "RELEASED");
                assertThat(answer.<Number>at("$.log[0].token").longValue()).isEqualTo(lock.fencingToken());
            });
        }
        await().until(() ->
                http.get("rowlock/log:1").<String>at("$.log[0].status").equals("RELEASED"));
        assertThat(http.get("rowlock/log:1").<List<?>>at("$.holders")).isEmpty();
    }

    @Test
    void historyIsNarrowedByKeyOwnerAndTime() {
        locks.acquire(LockRequest.exclusive("past:1")).close();
        locks.acquire(LockRequest.exclusive("past:2")).close();
        other.lock("past:3").close();
        await().untilAsserted(() -> assertThat(
                        grantedAt("past:1", "01") + grantedAt("past:2", "02") + grantedAt("past:3", "03"))
                .isEqualTo(3));
        String from = "from=2001-01-01T00:00:01Z";
        assertThat(history(from + "&to=2001-01-01T00:00:03Z")).extracting("key").containsExactly("past:2", "past:1");
        assertThat(history("from=2001-01-01T00:00:01.000001Z&to=2002-01-01T00:00:00Z"))
                .as("also what was granted before, and held then")
                .extracting("key")
                .containsExactly("past:3", "past:2", "past:1");
        assertThat(history("to=2002-01-01T00:00:00Z&limit=1")).extracting("key").containsExactly("past:3");
        assertThat(history("to=2002-01-01T00:00:00Z&owner=" + owner()))
                .extracting("key")
                .containsExactly("past:2", "past:1");
        assertThat(history("key=past:2")).extracting("acquiredAt").containsExactly("2001-01-01T00:00:02Z");
        assertThat(history("key=past:2&to=2001-01-01T00:00:02Z")).isEmpty();
        assertThat(history("key=past")).isEmpty();
    }

    /** The times that nodes note are not exact enough to tell grants of two of them apart. */
    private static int grantedAt(String key, String second) {
        return schema.jdbc()
                .update(
                        "UPDATE rowlock_lock_log SET acquired_at = ?, note = CONCAT(COALESCE(note, ''), '.') WHERE lock_key = ? AND status = 'RELEASED'",
                        "2001-01-01 00:00:" + second,
                        key);
    }

    private static String owner() {
        return http.get("rowlock")
                .<String>at("$.node.owner")
                .replace("#", "%23")
                .replace("@", "%40");
    }

    private static List<Map<String, Object>> history(String query) {
        return http.get("rowlockhistory?" + query).at("$.log");
    }

    @Test
    void historySaysWhatIsWrongWithAQuestion() {
        assertThat(http.get("rowlockhistory?limit=1001").status()).isEqualTo(400);
        for (String time :
                List.of("to=9999-12-31T23:59:59Z", "to=%2B1000000-01-01T00:00:00Z", "from=-0001-01-01T00:00:00Z")) {
            Http.Answer impossible = http.get("rowlockhistory?" + time);
            assertThat(impossible.status()).as(time).isEqualTo(400);
            assertThat(impossible.<String>at("$.error")).contains("are possible");
        }
    }

    @Test
    void forceTellsTheHolderAtOnceAndIsLogged(CapturedOutput output) {
        List<LockEvent> told = new CopyOnWriteArrayList<>();
        HeldLock lock = locks.acquire(LockRequest.exclusive("force:1"));
        lock.onLost(told::add);
        assertThat(http.delete("rowlock/force:1?reason=stuck%0Asince%20noon").status())
                .isEqualTo(204);
        assertThat(lock.isHeld()).isFalse();
        await().until(() -> told.size() == 1);
        assertThat(other.canLock("force:1")).isTrue();
        lock.close();
        assertThat(output).contains("WARN").contains("\"force:1\"", "released by force by carol: stuck\\nsince noon");
        await().untilAsserted(() -> assertThat(http.get("rowlock/force:1").<List<String>>at("$.log[*].status"))
                .contains("FORCED", "LOST"));
        assertThat(http.get("rowlock/force:1").<List<String>>at("$.log[?(@.status == 'FORCED')].note"))
                .containsExactly("released by force by carol: stuck\\nsince noon");
        assertThat(http.get("rowlock/force:1").<List<Number>>at("$.log[?(@.status == 'FORCED')].token"))
                .singleElement()
                .extracting(Number::longValue)
                .isEqualTo(lock.fencingToken());
    }

    @ParameterizedTest
    @ValueSource(strings = {"lease", "unique-key", "row-lock"})
    void formerHolderIsRefusedItsCommit(String strategy) {
        schema.jdbc().execute("DELETE FROM work");
        String key = "commit:" + strategy;
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> workUnderForcedLock(LockRequest.exclusive(key).withStrategy(strategy)));
        assertThat(schema.jdbc().queryForObject("SELECT COUNT(*) FROM work", Integer.class))
                .isZero();
    }

    private static void workUnderForcedLock(LockRequest request) {
        JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
        try (HeldLock lock = locks.acquire(request)) {
            new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
                jdbc.update("INSERT INTO work VALUES (1)");
                assertThat(http.delete("rowlock/" + lock.key()).status()).isEqualTo(204);
            });
        }
    }

    private static void forceBySql(String key) {
        String fence = schema.jdbc()
                .queryForObject("SELECT fence FROM rowlock_locks_held WHERE lock_key = ?", String.class, key);
        String block = forcedBySql.replace("item:42", key).replaceFirst("@fence = \\d+", "@fence = " + fence);
        schema.jdbc().execute((StatementCallback<Void>) session -> {
            for (String statement : block.strip().split(";\n", -1)) {
                session.execute(statement);
            }
            return null;
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"lease exclusive", "lease shared", "lease permit", "unique-key exclusive"})
    void statementsForAForcedReleaseDoTheSameAsTheEndpoint(String lock) {
        String name = lock.replace(' ', '-');
        forced(
                "by-endpoint:" + name,
                lock,
                key -> assertThat(http.delete("rowlock/" + key).status()).isEqualTo(204));
        forced("by-sql:" + name, lock, EndpointTests::forceBySql);
        assertThat(forcedRows("by-sql:" + name)).hasSize(1).isEqualTo(forcedRows("by-endpoint:" + name));
    }

    private static void forced(String key, String lock, Consumer<String> force) {
        LockRequest any = switch (lock) {
            case "lease shared" -> LockRequest.shared(key);
            case "lease permit" -> LockRequest.permit(key, 2);
            default -> LockRequest.exclusive(key);
        };
        LockRequest request = any.withStrategy(lock.split(" ", -1)[0]);
        JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
        schema.jdbc().execute("DELETE FROM work");
        try (HeldLock held = locks.acquire(request)) {
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                            .executeWithoutResult(status -> {
                                jdbc.update("INSERT INTO work VALUES (1)");
                                force.accept(key);
                            }));
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> held.extend(java.time.Duration.ofSeconds(90)));
        }
        assertThat(schema.jdbc().queryForObject("SELECT COUNT(*) FROM work", Integer.class))
                .isZero();
        try (HeldLock next = locks.tryAcquire(LockRequest.exclusive(key).withStrategy(lock.split(" ", -1)[0]))
                .orElseThrow()) {
            assertThat(next.isHeld()).isTrue();
        }
    }

    private static List<Map<String, Object>> forcedRows(String key) {
        return schema.jdbc()
                .queryForList(
                        "SELECT strategy, mode, owner, status, completed_at, waited_micros, acquired_at = released_at"
                                + " FROM rowlock_lock_log WHERE lock_key = ? AND status = 'FORCED'",
                        key);
    }

    @Test
    void locksOfOtherNodesAreForcedToo() {
        HeldLock lock = other.lock("far:1");
        HeldLock reader = other.lockShared("far:2");
        assertThat(http.delete("rowlock/far:1").status()).isEqualTo(204);
        assertThat(http.delete("rowlock/far:2").status()).isEqualTo(204);
        try (HeldLock mine = locks.tryAcquire(LockRequest.exclusive("far:1")).orElseThrow();
                HeldLock too = locks.tryAcquire(LockRequest.exclusive("far:2")).orElseThrow()) {
            assertThat(mine.fencingToken()).isGreaterThan(lock.fencingToken());
            assertThat(too.fencingToken()).isGreaterThan(reader.fencingToken());
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> lock.extend(java.time.Duration.ofSeconds(9)));
        }
        lock.close();
        reader.close();
    }

    @Test
    void outageIsSaidToBeOne() {
        schema.jdbc().execute("RENAME TABLE rowlock_lock TO hidden");
        try {
            Http.Answer list = http.get("rowlock");
            assertThat(list.status()).isEqualTo(503);
            assertThat(list.<String>at("$.error")).contains("the lock tables are missing");
            Http.Answer health = http.get("health/rowlock");
            assertThat(health.status()).isEqualTo(503);
            assertThat(health.<String>at("$.status")).isEqualTo("DOWN");
            assertThat(health.<String>at("$.details.error")).contains("the lock tables are missing");
        } finally {
            schema.jdbc().execute("RENAME TABLE hidden TO rowlock_lock");
        }
        assertThat(http.get("health/rowlock").<String>at("$.status")).isEqualTo("UP");
    }

    @Test
    void applicationsDatabaseIsReportedOnce() {
        Map<String, ?> components = http.get("health").at("$.components");
        assertThat(components).containsKeys("db", "rowlock");
        assertThat(http.get("health").<Map<String, ?>>at("$.components.db")).doesNotContainKey("components");
        assertThat(http.get("health").<Map<String, ?>>at("$.components.rowlock.details"))
                .containsOnlyKeys("strategy", "held", "atRisk");
    }

    @Test
    void lateRenewalsDegradeTheHealth() {
        LockRequest request = LockRequest.exclusive("late:1").withTtl(java.time.Duration.ofSeconds(12));
        try (HeldLock lock = locks.acquire(request)) {
            new TransactionTemplate(new org.springframework.jdbc.support.JdbcTransactionManager(
                            schema.jdbc().getDataSource()))
                    .executeWithoutResult(status -> {
                        schema.jdbc().queryForList("SELECT * FROM rowlock_lock WHERE lock_key = 'late:1' FOR UPDATE");
                        await().until(() -> http.get("health/rowlock")
                                .<String>at("$.status")
                                .equals("DEGRADED"));
                        Http.Answer health = http.get("health/rowlock");
                        assertThat(health.status()).isEqualTo(200);
                        assertThat(health.<Integer>at("$.details.atRisk")).isOne();
                        assertThat(http.get("health").<String>at("$.status")).isEqualTo("UP");
                    });
            await().until(() ->
                    http.get("health/rowlock").<String>at("$.status").equals("UP"));
            assertThat(lock.isHeld()).isTrue();
        }
    }

    /** MariaDB does not show which session has which row. */
    @Test
    void rowLocksOfOtherNodesAreSeenAsSessionsAndEndedWhereTheServerTells(DatabaseServer server) {
        if (server.flavor() == ServerFlavor.MYSQL) {
            sessionIsSeenAndEnded();
        } else {
            sessionCannotBeSeen();
        }
    }

    private static void sessionIsSeenAndEnded() {
        HeldLock lock = other.lock(
                LockRequest.exclusive("far row").withStrategy("row-lock").withTtl(Duration.ofSeconds(12)));
        Http.Answer answer = http.get("rowlock/far%20row");
        Map<String, Object> seen = answer.at("$.holders[0]");
        assertThat(seen)
                .containsEntry("key", "far row")
                .containsEntry("strategy", "row-lock")
                .containsEntry("mode", "EXCLUSIVE")
                .containsEntry("thisNode", false)
                .doesNotContainKeys("token", "since");
        assertThat((String) seen.get("owner")).matches("session \\d+ of root@.*");
        assertThat(http.delete("rowlock/far%20row").status()).isEqualTo(204);
        locks.acquire(LockRequest.exclusive("far row").withStrategy("row-lock")).close();
        await().until(() -> !lock.isHeld());
        lock.close();
    }

    private static void sessionCannotBeSeen() {
        try (HeldLock lock = other.lock(LockRequest.exclusive("far row").withStrategy("row-lock"))) {
            Http.Answer answer = http.delete("rowlock/far%20row");
            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.<String>at("$.error")).contains("Row locks of other nodes");
            assertThat(lock.isHeld()).isTrue();
        }
    }

    /** Stands for whatever logs people in. */
    @Configuration(proxyBeanMethods = false)
    static class LoggedIn {
        @Bean
        Filter login() {
            Principal carol = () -> "carol";
            return (request, response, chain) -> chain.doFilter(
                    new HttpServletRequestWrapper((HttpServletRequest) request) {
                        @Override
                        public Principal getUserPrincipal() {
                            return carol;
                        }
                    },
                    response);
        }
    }
}
