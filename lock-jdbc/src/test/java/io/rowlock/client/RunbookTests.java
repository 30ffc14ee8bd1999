package io.rowlock.client;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.rowlock.FencingTokens;
import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.StaleTokenException;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.StatementCallback;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The SQL of the documentation, as it stands there, does what the page says. */
@OnEachServer(dependsOnServer = true)
class RunbookTests extends ClientContract {
    private static final Path PAGES = Path.of("..", "docs");
    private static final Pattern SQL = Pattern.compile("(?ms)^ *```sql\n(.*?)^ *```");
    private static final String KEY = "item:42";

    /** Those of users and rights are run by tests of rights. */
    @Test
    void everyStatementRuns(DatabaseServer server) {
        List<String> run = allStatements().stream()
                .filter(statement -> !statement.matches("(?s)(DROP|GRANT|CREATE USER).*"))
                .filter(statement -> server.flavor() == ServerFlavor.MYSQL || !statement.contains("performance_schema"))
                .toList();
        assertThat(run).hasSizeGreaterThan(10);
        try (HeldLock lock = node.client.acquire(LockRequest.exclusive(KEY))) {
            assertThat(lock.isHeld()).isTrue();
            // innodb_trx has the statements of other tests, and MySQL fails on one whose bytes are no text
            await().ignoreExceptionsMatching(e -> e.toString().contains("Cannot convert string"))
                    .untilAsserted(() -> inOneSession(run));
        }
    }

    @Test
    void removalDropsAllThatRowlockCreated() {
        List<String> dropped = allStatements().stream()
                .filter(statement -> statement.startsWith("DROP"))
                .flatMap(statement -> Arrays.stream(
                        statement.replaceAll("DROP (TABLE|VIEW) ", "").split(",\\s*")))
                .filter(name -> !name.equals("rowlock_schema_history"))
                .toList();
        assertThat(dropped)
                .containsExactlyInAnyOrderElementsOf(
                        table.sql.queryForList("SHOW TABLES LIKE 'rowlock\\_%'", String.class).stream()
                                .filter(name -> !name.equals("rowlock_schema_history"))
                                .toList());
    }

    @Test
    void holderIsFoundAndFreedByItsToken() {
        HeldLock held = node.client.acquire(LockRequest.exclusive(KEY).withTtl(ofSeconds(12)));
        Map<String, Object> holder =
                table.sql.queryForMap(statement("SELECT owner, fence, acquired_at, TIMESTAMPDIFF"));
        assertThat(holder).containsEntry("owner", "node").containsEntry("fence", held.fencingToken());
        List<String> all = statements("runbook.md");
        List<String> release =
                all.subList(all.indexOf(statement("SET @lock_key")), all.indexOf(statement("COMMIT")) + 1);
        inOneSession(release);
        assertThat(table.sql.queryForMap(statement("SELECT owner, fence, acquired_at, TIMESTAMPDIFF")))
                .as("the token of another holder frees nothing")
                .containsEntry("owner", "node");
        inOneSession(release.stream()
                .map(statement -> statement.replaceFirst("@fence = \\d+", "@fence = " + holder.get("fence")))
                .toList());
        try (HeldLock next = rival.client.acquire(LockRequest.exclusive(KEY).withWaitTime(ofSeconds(10)))) {
            assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
            await().untilAsserted(() -> assertThat(held.isLost()).isTrue());
        }
        held.close();
    }

    @Test
    void tokensAreComparedInOtherLanguagesAsByFencingTokens() {
        DataSource dataSource = Objects.requireNonNull(table.sql.getDataSource());
        FencingTokens tokens = FencingTokens.of(dataSource);
        TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
        List<String> compare = statements("transactions.md");
        assertThat(changes(compare, 7)).as("the first").isOne();
        assertThat(changes(compare, 7)).as("of the same holder").isOne();
        transaction.executeWithoutResult(status -> tokens.require("account:42", 8));
        assertThat(changes(compare, 7)).as("of a former holder").isZero();
        assertThat(changes(compare, 9)).isOne();
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> tokens.require("account:42", 8)));
    }

    /** Returns what the UPDATE of these statements changes. */
    private int changes(List<String> statements, long token) {
        Integer changed = table.sql.execute((StatementCallback<Integer>) session -> {
            int rows = 0;
            for (String statement : statements) {
                session.execute(statement.replaceFirst("@token = \\d+", "@token = " + token));
                rows = statement.startsWith("UPDATE") ? session.getUpdateCount() : rows;
            }
            return rows;
        });
        return Objects.requireNonNull(changed);
    }

    @Test
    void longestHolderComesFirst() {
        try (HeldLock first = node.client.acquire(LockRequest.exclusive("first"));
                HeldLock second = node.client.acquire(LockRequest.exclusive("second"))) {
            assertThat(first.fencingToken() + second.fencingToken()).isPositive();
            assertThat(table.sql.queryForList(statement("SELECT lock_key, owner, acquired_at, seconds_left")))
                    .extracting(row -> row.get("lock_key"))
                    .containsExactly("first", "second");
        }
    }

    @Test
    void holderAtAMomentIsFound() {
        table.sql.update(
                "INSERT INTO rowlock_lock_log (lock_key, strategy, mode, owner, fence, status, acquired_at, released_at, waited_micros)"
                        + " VALUES (?, 'lease', 'EXCLUSIVE', 'yesterday', 1, 'RELEASED', '2026-11-23 12:55:00', '2026-11-23 13:05:00', 0)",
                KEY);
        assertThat(
                        table.sql.queryForList(
                                statement(
                                        "SELECT owner, mode, fence, status, acquired_at, released_at FROM rowlock_lock_log\nWHERE lock_key = 'item:42'")))
                .extracting(row -> row.get("owner"))
                .containsExactly("yesterday");
    }

    private void inOneSession(List<String> statements) {
        table.sql.execute((StatementCallback<Void>) session -> {
            for (String statement : statements) {
                session.execute(statement);
            }
            return null;
        });
    }

    private static String statement(String beginning) {
        return statements("runbook.md").stream()
                .filter(statement -> statement.startsWith(beginning))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> allStatements() {
        try (Stream<Path> pages = Files.list(PAGES)) {
            return pages.map(page -> page.getFileName().toString())
                    .filter(page -> page.endsWith(".md"))
                    .sorted()
                    .flatMap(page -> statements(page).stream())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> statements(String page) {
        try {
            return SQL.matcher(Files.readString(PAGES.resolve(page)))
                    .results()
                    .map(found -> found.group(1).replaceAll("(?m)^ {3}", ""))
                    .flatMap(block -> Arrays.stream(block.split(";\n")))
                    .map(String::strip)
                    .filter(statement -> !statement.isEmpty())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
