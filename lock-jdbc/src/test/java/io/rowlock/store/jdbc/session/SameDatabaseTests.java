package io.rowlock.store.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.LockMode;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.Lease;
import io.rowlock.store.SnapshotMarks;
import io.rowlock.store.jdbc.fence.MarkRow;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.store.jdbc.lease.LeaseTable;
import io.rowlock.store.jdbc.session.TransactionConnection.Place;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** The price of knowing where a transaction is, and what becomes of a name that leads elsewhere. */
@OnEachServer(dependsOnServer = true)
class SameDatabaseTests {
    private static final Duration LONG = Duration.ofHours(1);

    private String copy;
    private LeaseTable table;
    private HikariDataSource locks;
    private HikariDataSource there;
    private HikariDataSource elsewhere;
    private LeaseStore store;
    private final List<Place> uncovered = new ArrayList<>();

    @BeforeEach
    void open(TestSchema schema) {
        table = new LeaseTable(schema);
        table.jdbc().update("DELETE FROM rowlock_lock");
        copy = schema.name() + "_copy";
        table.jdbc().execute("CREATE DATABASE " + copy);
        table.jdbc().execute("CREATE TABLE %s.rowlock_lock LIKE rowlock_lock".formatted(copy));
        locks = table.pool(config -> config.setMaximumPoolSize(1));
        there = table.pool(config -> config.setConnectionInitSql(LeaseTable.APPLICATION_SQL));
        elsewhere = table.pool(config -> {
            config.setConnectionInitSql(LeaseTable.APPLICATION_SQL);
            config.setCatalog(copy);
        });
        store = new LeaseStore(database(), LeaseTable.PREFIX, null, null);
    }

    @AfterEach
    void close() {
        table.close();
        table.jdbc().execute("DROP DATABASE " + copy);
    }

    private LockDatabase database() {
        return new LockDatabase(locks, 8, LeaseTable.QUERY_TIMEOUT);
    }

    private SameDatabase same(Duration trust) {
        return new SameDatabase(database(), LeaseTable.PREFIX, trust);
    }

    private Lease lease() {
        return LeaseTable.granted(
                store.tryAcquire(LeaseTable.request(LeaseTable.freshKey(), LockMode.EXCLUSIVE, LeaseTable.TTL)));
    }

    /** The check of strategy {@code lease}. */
    private CommitCheck fence(DataSource application, SameDatabase same) {
        return new CoveredFence(store.commitCheck(application).orElseThrow(), application, same, uncovered::add);
    }

    private static <T> T in(DataSource application, Supplier<T> work) {
        TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(application));
        return transaction.execute(status -> work.get());
    }

    /** @return how many statements the transaction was sent, and how many the sessions of locks */
    private List<Long> statements(DataSource application, Runnable work) {
        long[] ofTransaction = new long[1];
        Runnable counting = () -> {
            DataSource session = new SingleConnectionDataSource(DataSourceUtils.getConnection(application), true);
            ofTransaction[0] = Statements.of(session, work);
        };
        TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(application));
        long ofLocks = Statements.of(locks, () -> transaction.executeWithoutResult(status -> counting.run()));
        return List.of(ofTransaction[0], ofLocks);
    }

    private int rows() {
        return table.count("SELECT COUNT(*) FROM rowlock_lock WHERE lock_key LIKE 'rowlock:proof:%'");
    }

    /** The first transaction of a process pays for it: one locks the new row, the lock sessions make it and find it locked. */
    @Test
    void firstCheckOfAProcessProvesThePlaceAndTheNextOneDoesNot() {
        CommitCheck fence = fence(there, same(Duration.ZERO));
        Lease lease = lease();
        Runnable check = () -> assertThat(LeaseTable.firstLost(fence, lease)).isEmpty();
        assertThat(statements(there, check)).containsExactly(2L, 2L);
        assertThat(statements(there, check)).containsExactly(1L, 0L);
        assertThat(uncovered).isEmpty();
    }

    @Test
    void firstCheckOfAProcessFindsTheLostLease() {
        Lease lease = lease();
        store.release(lease);
        assertThat(in(there, () -> LeaseTable.firstLost(fence(there, same(LONG)), lease)))
                .contains(lease);
    }

    @Test
    void firstCheckOfAProcessFindsTheTransactionOnAnotherDatabase() {
        CommitCheck fence = fence(elsewhere, same(LONG));
        Lease lease = lease();
        assertThat(in(elsewhere, () -> LeaseTable.firstLost(fence, lease))).isEmpty();
        assertThat(uncovered).hasSize(1);
    }

    /** To prove the place lets a transaction see nothing that was committed since its first read. */
    @Test
    void firstQuestionOfAProcessFindsTheReadBeforeTheGrant() {
        TransactionTemplate repeating = new TransactionTemplate(new DataSourceTransactionManager(there));
        repeating.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
        SnapshotMarks marks = new MarkRow(there, database(), LeaseTable.PREFIX, same(LONG));
        repeating.executeWithoutResult(status -> {
            new JdbcTemplate(there).queryForList("SELECT * FROM rowlock_lock");
            Lease lease = lease();
            assertThat(fence(there, same(LONG)).isSeen(lease)).isFalse();
            assertThat(marks.sees(marks.mark())).isFalse();
        });
        repeating.executeWithoutResult(status -> {
            Lease lease = lease();
            long mark = marks.mark();
            assertThat(fence(there, same(LONG)).isSeen(lease)).isTrue();
            assertThat(marks.sees(mark)).isTrue();
        });
    }

    @Test
    void checkWhereTheRowOfTheLeaseProvesItIsOneStatementHoweverLongAgoThePlaceWasProven() {
        SameDatabase same = same(Duration.ZERO);
        CommitCheck fence = fence(there, same);
        assertThat(in(there, () -> same.covers(current(there)))).isTrue();
        Lease lease = lease();

        assertThat(statements(
                        there,
                        () -> assertThat(LeaseTable.firstLost(fence, lease)).isEmpty()))
                .containsExactly(1L, 0L);
        assertThat(uncovered).isEmpty();
    }

    @Test
    void placeThatWasProvenAMomentAgoIsNotAskedAgain() {
        SameDatabase same = same(LONG);
        assertThat(in(there, () -> same.covers(current(there)))).isTrue();

        assertThat(statements(
                        there, () -> assertThat(same.covers(current(there))).isTrue()))
                .containsExactly(0L, 0L);
    }

    @Test
    void anotherDatabaseCostsOneStatementThereAndTwoThatWriteNothing() {
        SameDatabase same = same(LONG);
        CommitCheck fence = fence(elsewhere, same);
        Lease lease = lease();
        in(elsewhere, () -> LeaseTable.firstLost(fence, lease));
        assertThat(rows()).isOne();
        long written = written();

        assertThat(statements(
                        elsewhere,
                        () -> assertThat(LeaseTable.firstLost(fence, lease)).isEmpty()))
                .containsExactly(1L, 2L);
        assertThat(written()).isEqualTo(written);
        assertThat(rows()).isOne();
        assertThat(uncovered).hasSize(2);
    }

    private long written() {
        return new JdbcTemplate(locks)
                        .query(
                                "SHOW SESSION STATUS WHERE Variable_name IN ('Com_insert', 'Com_update', 'Com_delete')",
                                (row, number) -> row.getLong(2))
                        .stream()
                        .mapToLong(Long::longValue)
                        .sum();
    }

    @Test
    void rowIsUsedAgainOnceItsTransactionIsOver() {
        SameDatabase same = same(Duration.ZERO);
        for (int i = 0; i < 5; i++) {
            assertThat(in(there, () -> same.covers(current(there)))).isTrue();
        }
        assertThat(rows()).isOne();

        in(there, () -> {
            assertThat(same.covers(current(there))).isTrue();
            return assertThat(same.covers(current(there))).isTrue();
        });
        assertThat(rows()).isEqualTo(2);
    }

    @Test
    void transactionThatMayOnlyReadIsAskedAsWell() {
        SameDatabase same = same(Duration.ZERO);
        TransactionTemplate reading = new TransactionTemplate(new DataSourceTransactionManager(there));
        reading.setReadOnly(true);
        assertThat(reading.<Boolean>execute(status -> same.covers(current(there))))
                .isTrue();
    }

    @Test
    void rowThatTheCleanUpRemovedProvesNothing() {
        SameDatabase same = same(Duration.ZERO);
        assertThat(in(there, () -> same.covers(current(there)))).isTrue();
        removeRows();
        assertThat(in(there, () -> same.covers(current(there)))).isTrue();

        AtomicInteger questions = new AtomicInteger();
        Runnable once = () -> {
            if (questions.incrementAndGet() == 1) {
                removeRows();
            }
        };
        assertThat(in(there, () -> same.covers(new Other(current(there).place(), current(there), once))))
                .isTrue();
        assertThat(questions).hasValue(2);
    }

    private void removeRows() {
        table.jdbc().update("DELETE FROM rowlock_lock WHERE lock_key LIKE 'rowlock:proof:%'");
    }

    /** As on a replica, which locks rows of its own. */
    @Test
    void copyOfTheRowIsAnotherDatabase() {
        SameDatabase same = same(Duration.ZERO);
        assertThat(in(there, () -> same.covers(current(there)))).isTrue();
        copyRows();

        assertThat(in(elsewhere, () -> same.covers(current(elsewhere)))).isFalse();
    }

    private void copyRows() {
        table.jdbc().execute("INSERT INTO %s.rowlock_lock SELECT * FROM rowlock_lock".formatted(copy));
    }

    /** After a fail-over. Found rows of a copy prove nothing where every copy has them. */
    @Test
    void nameThatLeadsToACopyIsFoundOutWhenItsProofIsOld() {
        Place name = in(there, () -> current(there).place());
        SameDatabase trusting = same(LONG);
        SameDatabase strict = same(Duration.ZERO);
        for (SameDatabase same : List.of(trusting, strict)) {
            assertThat(in(there, () -> same.covers(current(there)))).isTrue();
        }

        assertThat(answer(trusting, name, true)).contains(true);
        assertThat(answer(strict, name, true)).isEmpty();
    }

    @Test
    void rowsThatAreNotFoundHaveThePlaceAskedAnew() {
        Place name = in(there, () -> current(there).place());
        SameDatabase same = same(LONG);
        assertThat(in(there, () -> same.covers(current(there)))).isTrue();

        assertThat(answer(same, name, false)).isEmpty();
        assertThat(in(there, () -> same.ask(current(there), false, () -> false)))
                .contains(false);
    }

    /** @return the answer of a copy to which a name leads by now; empty if the transaction turned out to be elsewhere */
    private Optional<Boolean> answer(SameDatabase same, Place name, boolean found) {
        return in(elsewhere, () -> same.ask(new Other(name, current(elsewhere), () -> {}), false, () -> found));
    }

    private static TransactionConnection current(DataSource application) {
        return new TransactionConnection(application, LeaseTable.QUERY_TIMEOUT);
    }

    /** A transaction that gives itself out to be somewhere. Something happens before each question. */
    private static final class Other extends TransactionConnection {
        private final Place place;
        private final TransactionConnection real;
        private final Runnable before;

        Other(Place place, TransactionConnection real, Runnable before) {
            super(new SingleConnectionDataSource(), LeaseTable.QUERY_TIMEOUT);
            this.place = place;
            this.real = real;
            this.before = before;
        }

        @Override
        public <T> T call(LockDatabase.Work<T> work) {
            before.run();
            return real.call(work);
        }

        @Override
        public TransactionConnection pinned() {
            return this;
        }

        @Override
        public @Nullable Place place() {
            return place;
        }
    }
}
