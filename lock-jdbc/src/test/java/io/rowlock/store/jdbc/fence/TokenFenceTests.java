package io.rowlock.store.jdbc.fence;

import static io.rowlock.store.jdbc.lease.LeaseTable.async;
import static io.rowlock.store.jdbc.lease.LeaseTable.freshKey;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.store.Lease;
import io.rowlock.store.jdbc.cleanup.ImpatientCleanUp;
import io.rowlock.store.jdbc.lease.LeaseTable;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.Statements;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TransactionConnection;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactions of former and later holders of locks that are kept elsewhere. Tokens are made up here. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@OnEachServer(dependsOnServer = true, mariaDb118 = true)
class TokenFenceTests {
    /** No double holds it, nor do the fourteen digits that Lua makes of a number by default. */
    private static final long TOKEN = (1L << 53) + 1;

    private static final AtomicLong ACCOUNTS = new AtomicLong();

    private final List<String> overtaken = new ArrayList<>();
    private String key;
    private LeaseTable table;
    private HikariDataSource application;
    private LockDatabase locks;
    private TokenFence fence;

    @BeforeServer
    void open(TestSchema schema) {
        table = new LeaseTable(schema);
        application = table.pool(config -> {
            config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
            config.setConnectionInitSql(LeaseTable.APPLICATION_SQL);
        });
        locks = new LockDatabase(table.pool(config -> {}), 8, LeaseTable.QUERY_TIMEOUT);
        fence = fence(locks);
        table.jdbc().execute("CREATE TABLE account (id BIGINT PRIMARY KEY, balance INT NOT NULL)");
    }

    @BeforeEach
    void chooseKey() {
        key = freshKey();
        overtaken.clear();
    }

    @AfterServer
    void close() {
        table.close();
    }

    private TokenFence fence(LockDatabase database) {
        return new TokenFence(application, database, LeaseTable.PREFIX, true, this::note);
    }

    private synchronized void note(Lease lease, long seen) {
        overtaken.add(lease.fence() + " by " + seen);
    }

    private TransactionTemplate transaction() {
        TransactionTemplate template = new TransactionTemplate(new DataSourceTransactionManager(application));
        template.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
        return template;
    }

    private Lease lease(long above) {
        return lease(key, LockMode.EXCLUSIVE, above);
    }

    private Lease reader(long above) {
        return lease(key, LockMode.SHARED, above);
    }

    private static Lease lease(String key, LockMode mode, long above) {
        return new Lease(key, mode, mode == LockMode.EXCLUSIVE ? 0 : 7 + above, TOKEN + above, "alice");
    }

    private Optional<Lease> firstLost(Lease... leases) {
        return transaction().execute(status -> LeaseTable.firstLost(fence, leases));
    }

    private Long noted(String of) {
        List<Long> token = table.jdbc()
                .queryForList(
                        "SELECT token FROM rowlock_fence WHERE lock_key = ?", Long.class, (Object) of.getBytes(UTF_8));
        return token.isEmpty() ? null : token.get(0);
    }

    // ---- tokens

    @Test
    void holderIsRefusedOnceALaterOneWasThere() {
        assertThat(firstLost(lease(0))).isEmpty();
        assertThat(firstLost(lease(0))).isEmpty();
        assertThat(firstLost(lease(128))).isEmpty();
        assertThat(overtaken).isEmpty();
        assertThat(firstLost(lease(0))).contains(lease(0));
        assertThat(overtaken).containsExactly(TOKEN + " by " + (TOKEN + 128));
        assertThat(firstLost(lease(128))).isEmpty();
        assertThat(noted(key)).isEqualTo(TOKEN + 128);
    }

    @Test
    void refusalIsOfOneKeyOnly() {
        Lease later = lease("b-" + key, LockMode.EXCLUSIVE, 5);
        Lease former = lease("b-" + key, LockMode.EXCLUSIVE, 4);
        Lease other = lease("a-" + key, LockMode.EXCLUSIVE, 0);
        assertThat(firstLost(other, later)).isEmpty();
        assertThat(firstLost(former, other)).contains(former);
        assertThat(firstLost(other)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\0", "}x", "Ä", "key with a space at its end "})
    void keysAreBytes(String strange) {
        assertThat(firstLost(lease(strange + key, LockMode.EXCLUSIVE, 1), lease(key, LockMode.EXCLUSIVE, 0)))
                .isEmpty();
        assertThat(noted(strange + key)).isEqualTo(TOKEN + 1);
        assertThat(noted(key)).isEqualTo(TOKEN);
    }

    @Test
    void keyMayHaveAsManyBytesAsEverywhere() {
        String longest = "k".repeat(255);
        assertThat(firstLost(lease(longest, LockMode.EXCLUSIVE, 0))).isEmpty();
        assertThat(noted(longest)).isEqualTo(TOKEN);
    }

    @Test
    void rolledBackTransactionLeavesNoToken() {
        firstLost(lease(0));
        transaction().executeWithoutResult(status -> {
            assertThat(LeaseTable.firstLost(fence, lease(9))).isEmpty();
            status.setRollbackOnly();
        });
        assertThat(noted(key)).isEqualTo(TOKEN);
        assertThat(firstLost(lease(0))).isEmpty();
    }

    @Test
    void driverOfMariaDbBringsTheTokenToo(TestSchema schema) {
        HikariDataSource pool =
                table.pool(config -> config.setJdbcUrl(schema.jdbcUrl().replace("jdbc:mysql:", "jdbc:mariadb:")));
        TokenFence other = new TokenFence(pool, locks, LeaseTable.PREFIX, true, this::note);
        TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(pool));
        Supplier<Optional<Lease>> former = () -> transaction.execute(status -> LeaseTable.firstLost(other, lease(0)));
        assertThat(former.get()).isEmpty();
        assertThat(former.get()).isEmpty();
        assertThat(firstLost(lease(1))).isEmpty();
        assertThat(former.get()).contains(lease(0));
    }

    // ---- what is read and written

    /** The row is locked before anything is read, so the successor waits, and reads what was written. */
    @Test
    void successorWaitsForTheOpenTransactionAndReadsWhatItWrote() throws Exception {
        long account = account(100);
        CompletableFuture<Long> session = new CompletableFuture<>();
        List<CompletableFuture<?>> successor = new ArrayList<>();
        transaction().executeWithoutResult(status -> {
            assertThat(LeaseTable.firstLost(fence, lease(0))).isEmpty();
            int read = balance(account);
            successor.add(async(() -> transaction().execute(begun -> {
                session.complete(LeaseTable.connectionId(application));
                assertThat(LeaseTable.firstLost(fence, lease(1))).isEmpty();
                return write(account, balance(account) + 20);
            })));
            table.awaitLockWait(session.join());
            write(account, read + 10);
        });
        successor.get(0).get(20, TimeUnit.SECONDS);
        assertThat(balance(account)).isEqualTo(130);
    }

    /** Why it is not enough to compare tokens right before the commit: what was read is not seen by the table. */
    @Test
    void checkBeforeTheCommitAloneLosesAnUpdate() {
        long account = account(100);
        TransactionTemplate successor = transaction();
        successor.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
        successor.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        Lease former = lease(0);
        successor.executeWithoutResult(begun -> {
            int read = balance(account);
            successor.executeWithoutResult(overtaken -> {
                write(account, balance(account) + 10);
                assertThat(LeaseTable.firstLost(fence, former)).isEmpty();
            });
            write(account, read + 20);
            assertThat(LeaseTable.firstLost(fence, lease(1))).isEmpty();
        });
        assertThat(balance(account)).isEqualTo(120);
        assertThat(firstLost(former)).contains(former);
    }

    private long account(int balance) {
        long id = ACCOUNTS.incrementAndGet();
        table.jdbc().update("INSERT INTO account VALUES (?, ?)", id, balance);
        return id;
    }

    private int balance(long account) {
        return new JdbcTemplate(application)
                .queryForObject("SELECT balance FROM account WHERE id = ?", Integer.class, account);
    }

    private int write(long account, int balance) {
        return new JdbcTemplate(application).update("UPDATE account SET balance = ? WHERE id = ?", balance, account);
    }

    /** What the transaction's snapshot shows of the token may be old. */
    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "PERMIT")
    void transactionWithAnOldSnapshotSeesTheLaterToken(LockMode mode) {
        firstLost(lease(0));
        Lease former = lease(key, mode, 0);
        Optional<Lease> lost = transaction().execute(status -> {
            new JdbcTemplate(application).queryForList("SELECT * FROM rowlock_fence");
            assertThat(async(() -> firstLost(lease(1))).join()).isEmpty();
            return LeaseTable.firstLost(fence, former);
        });
        assertThat(lost).contains(former);
    }

    @ParameterizedTest
    @EnumSource
    void checkBeginsNoSnapshot(LockMode mode) {
        long account = account(1);
        firstLost(lease(0));
        transaction().executeWithoutResult(status -> {
            assertThat(LeaseTable.firstLost(fence, lease(key, mode, 0))).isEmpty();
            async(() -> table.jdbc().update("UPDATE account SET balance = 2 WHERE id = ?", account))
                    .join();
            assertThat(balance(account)).isEqualTo(2);
        });
    }

    // ---- readers

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "EXCLUSIVE")
    void readersDoNotWaitForEachOtherAndAWriterWaitsForThem(LockMode mode) throws Exception {
        firstLost(lease(0));
        List<CompletableFuture<Optional<Lease>>> writer = new ArrayList<>();
        CompletableFuture<Long> session = new CompletableFuture<>();
        transaction().executeWithoutResult(status -> {
            assertThat(LeaseTable.firstLost(fence, lease(key, mode, 127))).isEmpty();
            assertThat(async(() -> firstLost(lease(key, mode, 127))).join()).isEmpty();
            writer.add(async(() -> transaction().execute(begun -> {
                session.complete(LeaseTable.connectionId(application));
                return LeaseTable.firstLost(fence, lease(128));
            })));
            table.awaitLockWait(session.join());
        });
        assertThat(writer.get(0).get(20, TimeUnit.SECONDS)).isEmpty();
    }

    @Test
    void readersThatComeAtOnceAllPass() {
        firstLost(lease(0));
        List<CompletableFuture<Optional<Lease>>> readers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            readers.add(async(() -> transaction().execute(status -> {
                Optional<Lease> lost = LeaseTable.firstLost(fence, reader(127));
                LeaseTable.await(() -> noted(key) == TOKEN + 127);
                return lost;
            })));
        }
        readers.forEach(reader -> assertThat(reader.join()).isEmpty());
    }

    @Test
    void readerRefusesTheWriterBeforeItAndIsRefusedAfterTheNext() {
        firstLost(lease(0));
        assertThat(firstLost(reader(127))).isEmpty();
        assertThat(firstLost(lease(0))).contains(lease(0));
        assertThat(firstLost(lease(128))).isEmpty();
        assertThat(firstLost(reader(127))).contains(reader(127));
    }

    @Test
    void readerOfAKeyThatIsNotKnownNotesItsToken() {
        assertThat(firstLost(reader(127))).isEmpty();
        assertThat(noted(key)).isEqualTo(TOKEN + 127);
        assertThat(firstLost(lease(0))).contains(lease(0));
    }

    // ---- what it locks

    /** A gap lock would have keys that are used for the first time wait for transactions of other keys. */
    @ParameterizedTest
    @CsvSource({"EXCLUSIVE, true", "EXCLUSIVE, false", "SHARED, true", "SHARED, false"})
    void newKeysBesideItDoNotWait(LockMode mode, boolean known) throws Exception {
        if (known) {
            firstLost(lease("m-" + key, LockMode.EXCLUSIVE, 0));
        }
        transaction().executeWithoutResult(status -> {
            assertThat(LeaseTable.firstLost(fence, lease("m-" + key, mode, 0))).isEmpty();
            for (String neighbour : List.of("l-", "m-" + key + "-", "n-")) {
                assertThatCode(() -> async(() -> firstLost(lease(neighbour + key, LockMode.EXCLUSIVE, 0)))
                                .get(3, TimeUnit.SECONDS))
                        .as(neighbour)
                        .doesNotThrowAnyException();
            }
        });
    }

    @Test
    void discardedTransactionGivesItsRowLocksUp() {
        firstLost(lease(9));
        transaction().executeWithoutResult(status -> {
            assertThat(LeaseTable.firstLost(fence, lease(0))).contains(lease(0));
            CompletableFuture<Optional<Lease>> holder = async(() -> firstLost(lease(9)));
            assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> holder.get(300, TimeUnit.MILLISECONDS));
            assertThat(TransactionConnection.rollBack(application)).isTrue();
            assertThat(holder.join()).isEmpty();
            status.setRollbackOnly();
        });
    }

    @Test
    void checkIsOneStatementForEachLeaseOfAKeyThatIsKnown() {
        Lease first = lease("a-" + key, LockMode.EXCLUSIVE, 0);
        Lease second = lease("b-" + key, LockMode.EXCLUSIVE, 0);
        firstLost(second);
        transaction().executeWithoutResult(status -> {
            assertThat(LeaseTable.firstLost(fence, first)).isEmpty();
            SingleConnectionDataSource session =
                    new SingleConnectionDataSource(DataSourceUtils.getConnection(application), true);
            assertThat(Statements.of(
                            session,
                            () -> assertThat(LeaseTable.firstLost(fence, first, second))
                                    .isEmpty()))
                    .isEqualTo(2);
        });
    }

    // ---- failures

    @ParameterizedTest
    @EnumSource
    void transactionOfAFormerHolderThatHangsIsNamed(LockMode mode) {
        TokenFence impatient = fence(new LockDatabase(table.pool(config -> {}), 8, Duration.ofSeconds(1)));
        transaction().executeWithoutResult(status -> {
            assertThat(LeaseTable.firstLost(fence, lease(0))).isEmpty();
            AtomicReference<Throwable> refusal = new AtomicReference<>();
            // On a busy machine a second is over before a statement is sent: only then it asks again
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                CompletableFuture<Throwable> successor =
                        async(() -> refusal(() -> LeaseTable.firstLost(impatient, lease(key, mode, 128))));
                refusal.set(successor.get(15, TimeUnit.SECONDS));
                return !String.valueOf(refusal.get().getMessage()).contains("timed out waiting for a connection");
            });
            assertThat(refusal.get())
                    .isInstanceOf(LockStoreException.class)
                    .hasMessageContaining("transaction of a former holder is still open");
        });
        assertThat(noted(key)).isEqualTo(TOKEN);
    }

    /** The driver ends the statement. If it is more than a second late, the connection is given up, and cannot be rolled back. */
    private Throwable refusal(ThrowingCallable check) {
        AtomicReference<Throwable> refusal = new AtomicReference<>();
        try {
            transaction().executeWithoutResult(begun -> {
                refusal.set(catchThrowable(check));
                begun.setRollbackOnly();
            });
        } catch (TransactionSystemException e) {
            // so it is
        }
        return refusal.get();
    }

    @Test
    void refusalStandsThoughTheTokenCannotBeRaised() {
        TokenFence deaf = new TokenFence(application, locks, LeaseTable.PREFIX, true, (lease, seen) -> {
            throw new LockStoreException("no answer", null);
        });
        firstLost(lease(1));
        Optional<Lease> lost = transaction().execute(status -> LeaseTable.firstLost(deaf, lease(0)));
        assertThat(lost).contains(lease(0));
    }

    @Test
    void missingTableAndMissingTransactionAreErrorsAndNoAnswers() {
        TokenFence elsewhere = new TokenFence(application, locks, new TablePrefix("missing_"), true, this::note);
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> transaction().execute(status -> LeaseTable.firstLost(elsewhere, lease(0))))
                .withMessageContaining("rowlock.schema.initialize");
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> LeaseTable.firstLost(fence, lease(0)))
                .withMessageContaining("rowlock.fencing.transactional=false");
    }

    // ---- clean-up

    @Test
    void idleTokensAreRemovedAndNoOthers() {
        IntSupplier cleanUp = ImpatientCleanUp.ofTokens(locks, LeaseTable.PREFIX, Duration.ofDays(7));
        for (String each : List.of("fresh-", "idle-", "used-")) {
            firstLost(lease(each + key, LockMode.EXCLUSIVE, 1));
        }
        age("idle-", 8);
        age("used-", 8);
        assertThat(firstLost(lease("used-" + key, LockMode.EXCLUSIVE, 1))).isEmpty();
        assertThat(cleanUp.getAsInt()).isOne();
        assertThat(List.of("fresh-", "idle-", "used-"))
                .extracting(each -> each, each -> noted(each + key) != null)
                .containsExactly(tuple("fresh-", true), tuple("idle-", false), tuple("used-", true));
        assertThat(firstLost(lease("idle-" + key, LockMode.EXCLUSIVE, 2))).isEmpty();
    }

    @Test
    void tokenOfAnOpenTransactionIsNotRemoved() {
        IntSupplier cleanUp = ImpatientCleanUp.ofTokens(locks, LeaseTable.PREFIX, Duration.ofDays(7));
        firstLost(reader(1));
        age("", 8);
        transaction().executeWithoutResult(status -> {
            assertThat(LeaseTable.firstLost(fence, reader(1))).isEmpty();
            assertThat(cleanUp.getAsInt()).isZero();
        });
        assertThat(noted(key)).isEqualTo(TOKEN + 1);
    }

    @Test
    void tokenIsKeptForADayHoweverShortIdleKeysAreKept() {
        IntSupplier cleanUp = ImpatientCleanUp.ofTokens(locks, LeaseTable.PREFIX, Duration.ofSeconds(1));
        firstLost(lease(1));
        table.jdbc().update("UPDATE rowlock_fence SET seen_at = seen_at - INTERVAL 23 HOUR");
        assertThat(cleanUp.getAsInt()).isZero();
        table.jdbc().update("UPDATE rowlock_fence SET seen_at = seen_at - INTERVAL 2 HOUR");
        assertThat(cleanUp.getAsInt()).isPositive();
        assertThat(noted(key)).isNull();
    }

    private void age(String prefix, int days) {
        assertThat(table.jdbc()
                        .update(
                                "UPDATE rowlock_fence SET seen_at = seen_at - INTERVAL ? DAY WHERE lock_key = ?",
                                days,
                                (prefix + key).getBytes(UTF_8)))
                .isOne();
    }
}
