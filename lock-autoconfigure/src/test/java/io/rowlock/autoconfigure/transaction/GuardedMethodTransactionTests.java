package io.rowlock.autoconfigure.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.autoconfigure.application.Entry;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.Ledger;
import io.rowlock.autoconfigure.application.OtherNode;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.DatabaseServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A method with a lock and a transaction, watched from a second node. */
@OnEachServer
class GuardedMethodTransactionTests {
    private static final AtomicInteger IDS = new AtomicInteger();
    private static final Map<Kind, ConfigurableApplicationContext> NODES = new EnumMap<>(Kind.class);
    private static FreshSchema schema;
    private static OtherNode other;

    private final int id = IDS.incrementAndGet();
    private final String name = "k" + id;
    private final String key = Ledger.KEY + name;

    enum Kind {
        JDBC,
        JPA
    }

    @BeforeServer
    static void start(DatabaseServer server) {
        schema = FreshSchema.on(server);
        schema.jdbc().execute("CREATE TABLE entry (id INT PRIMARY KEY)");
        other = OtherNode.on(schema);
        NODES.put(Kind.JDBC, new TestApplication(schema, Ledger.JdbcLedger.class, Journal.class).start());
        NODES.put(
                Kind.JPA,
                new TestApplication(schema, Ledger.JpaLedger.class, Journal.class)
                        .withJpa()
                        .start());
        // Added last, they run after the fence
        NODES.values()
                .forEach(node -> node.getBean(ConfigurableTransactionManager.class)
                        .addListener(node.getBean(Journal.class).last));
    }

    @AfterServer
    static void stop() {
        NODES.values().forEach(ConfigurableApplicationContext::close);
        NODES.clear();
        if (other != null) {
            other.close();
            schema.close();
        }
    }

    @AfterEach
    void forget() {
        NODES.values().forEach(node -> node.getBean(Journal.class).stop());
        Entry.whenFlushed = () -> {};
    }

    @ParameterizedTest
    @EnumSource
    void lockIsOutsideOfTheTransaction(Kind kind) {
        Journal journal = journal(kind);
        journal.watch(() -> (other.canLock(key) ? "free, " : "locked, ") + stored());
        ledger(kind).store(name, id, () -> journal.note("body"));
        journal.note("returned");
        assertThat(journal.lines)
                .containsExactly(
                        "begin: locked, 0",
                        "body: locked, 0",
                        "commit: locked, 0",
                        "committed: locked, 1",
                        "returned: free, 1");
    }

    @ParameterizedTest
    @EnumSource
    void lockLostInTheBodyRefusesTheCommitAndNothingIsStored(Kind kind) {
        AtomicReference<HeldLock> successor = new AtomicReference<>();
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> ledger(kind).store(name, id, () -> successor.set(other.takeOver(key))))
                .withMessageContaining(key);
        assertThat(stored()).isZero();
        assertThat(successor.get().isHeld()).isTrue();
        successor.get().close();
        assertThat(other.canLock(key)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void readOnlyTransactionOfALostLockIsLeftAlone(Kind kind) {
        assertThatNoException()
                .isThrownBy(
                        () -> ledger(kind).read(name, () -> other.takeOver(key).close()));
    }

    @ParameterizedTest
    @EnumSource
    void fencedRowStaysLockedUntilTheCommitSoThatALateFlushIsSafe(Kind kind) {
        Ledger ledger = ledger(kind);
        long before = ledger.written();
        List<String> seen = new ArrayList<>();
        journal(kind).last.action = () -> {
            seen.add("flushed early: " + (ledger.written() - before));
            seen.add("row is locked: " + rowIsLocked());
        };
        ledger.store(name, id, () -> {});
        assertThat(seen).containsExactly("flushed early: " + (kind == Kind.JPA ? 0 : 1), "row is locked: true");
        assertThat(stored()).isOne();
        assertThat(rowIsLocked()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"JDBC, true", "JDBC, false", "JPA, true", "JPA, false"})
    void lockOfAnOpenTransactionIsKeptUntilThatIsOver(Kind kind, boolean commit) {
        transaction(kind).executeWithoutResult(status -> {
            ledger(kind).store(name, id, () -> {});
            assertThat(other.canLock(key)).isFalse();
            if (!commit) {
                status.setRollbackOnly();
            }
        });
        assertThat(other.canLock(key)).isTrue();
        assertThat(stored()).isEqualTo(commit ? 1 : 0);
    }

    @ParameterizedTest
    @EnumSource
    void lockLostAfterTheGuardedCallStillRefusesTheOuterCommit(Kind kind) {
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> transaction(kind).executeWithoutResult(status -> {
                    ledger(kind).store(name, id, () -> {});
                    other.takeOver(key).close();
                }));
        assertThat(stored()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void transactionWithinTheCommitOfAnotherUnderTheSameLockIsStoredToo(Kind kind) {
        List<Runnable> once = new ArrayList<>(List.of(() ->
                requiresNew(kind).executeWithoutResult(status -> ledger(kind).store(name, -id, () -> {}))));
        journal(kind).last.action = () -> {
            if (!once.isEmpty()) {
                once.remove(0).run();
            }
        };
        ledger(kind).store(name, id, () -> {});
        assertThat(stored()).isOne();
        assertThat(stored(-id)).isOne();
        assertThat(other.canLock(key)).isTrue();
    }

    /** As a {@code @TransactionalEventListener} is called: what is written then is committed when the connection is given back. */
    @ParameterizedTest
    @CsvSource({"JDBC, true", "JDBC, false", "JPA, true", "JPA, false"})
    void callAfterACommitHasATransactionOfItsOwnOrIsRefused(Kind kind, boolean inCommit) {
        transaction(kind)
                .executeWithoutResult(status -> after(inCommit, () -> {
                    assertThatExceptionOfType(IllegalStateException.class)
                            .isThrownBy(() -> ledger(kind).store(name, id, () -> {}))
                            .withMessageContaining("after the commit of a transaction");
                    ledger(kind).storeApart(name, -id);
                }));
        assertThat(stored()).isZero();
        assertThat(stored(-id)).isOne();
        assertThat(other.canLock(key)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void callAfterACommitMayEnterALockThatTheThreadHas(boolean inCommit) {
        try (HeldLock held = NODES.get(Kind.JDBC).getBean(LockClient.class).acquire(LockRequest.exclusive(key))) {
            transaction(Kind.JDBC)
                    .executeWithoutResult(
                            status -> after(inCommit, () -> ledger(Kind.JDBC).store(name, id, () -> {})));
            assertThat(held.isHeld()).isTrue();
            assertThat(other.canLock(key)).isFalse();
        }
        assertThat(stored()).isOne();
    }

    private static void after(boolean inCommit, Runnable action) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                if (inCommit) {
                    action.run();
                }
            }

            @Override
            public void afterCompletion(int status) {
                if (!inCommit) {
                    action.run();
                }
            }
        });
    }

    @Test
    void transactionWithinTheFlushOfAnotherUnderTheSameLockIsStoredToo() {
        AtomicInteger flushes = new AtomicInteger();
        Entry.whenFlushed = () -> {
            if (flushes.getAndIncrement() == 0) {
                requiresNew(Kind.JPA)
                        .executeWithoutResult(status -> ledger(Kind.JPA).store(name, -id, () -> {}));
            }
        };
        ledger(Kind.JPA).store(name, id, () -> assertThat(flushes).hasValue(0));
        assertThat(flushes).hasValue(2);
        assertThat(stored()).isOne();
        assertThat(stored(-id)).isOne();
        assertThat(other.canLock(key)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"JDBC, true", "JDBC, false", "JPA, true", "JPA, false"})
    void lockOfAnUnfinishedFutureRefusesTheOuterCommitIfItIsLost(Kind kind, boolean finished) {
        CompletableFuture<String> rest = new CompletableFuture<>();
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> transaction(kind).executeWithoutResult(status -> {
                    CompletableFuture<String> future = ledger(kind).storeAndGoOn(name, id, rest);
                    if (finished) {
                        rest.complete("finished");
                        future.join();
                    }
                    other.takeOver(key).close();
                }))
                .withMessageContaining(key);
        assertThat(stored()).isZero();
        rest.complete("finished");
    }

    @ParameterizedTest
    @CsvSource({"JDBC, true", "JDBC, false", "JPA, true", "JPA, false"})
    void lockOfAFutureIsHeldUntilItHasFinishedAndTheOuterTransactionHasCommitted(Kind kind, boolean finished) {
        CompletableFuture<String> rest = new CompletableFuture<>();
        CompletableFuture<String> future = transaction(kind).execute(status -> {
            CompletableFuture<String> answer = ledger(kind).storeAndGoOn(name, id, rest);
            if (finished) {
                rest.complete("finished");
            }
            assertThat(other.canLock(key)).isFalse();
            return answer;
        });
        assertThat(stored()).isOne();
        assertThat(other.canLock(key)).isEqualTo(finished);
        rest.complete("finished");
        assertThat(future.join()).isEqualTo("finished");
        assertThat(other.canLock(key)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void bodyThatThrowsRollsBackAndReleases(Kind kind) {
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> ledger(kind).store(name, id, () -> {
                    throw new IllegalStateException("of the body");
                }))
                .withMessage("of the body");
        assertThat(stored()).isZero();
        assertThat(other.canLock(key)).isTrue();
    }

    @Test
    void withoutFencingALostLockStores() {
        try (var unfenced = new TestApplication(schema, Ledger.JdbcLedger.class)
                .with("rowlock.fencing.transactional", "false")
                .start()) {
            unfenced.getBean(Ledger.class)
                    .store(
                            name,
                            id,
                            () -> CompletableFuture.runAsync(
                                            () -> other.takeOver(key).close())
                                    .join());
            assertThat(stored()).isOne();
        }
    }

    private static Ledger ledger(Kind kind) {
        return NODES.get(kind).getBean(Ledger.class);
    }

    private static Journal journal(Kind kind) {
        return NODES.get(kind).getBean(Journal.class);
    }

    private static TransactionTemplate transaction(Kind kind) {
        return new TransactionTemplate(NODES.get(kind).getBean(PlatformTransactionManager.class));
    }

    private static TransactionTemplate requiresNew(Kind kind) {
        TransactionTemplate inner = transaction(kind);
        inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        return inner;
    }

    private int stored() {
        return stored(id);
    }

    private static int stored(int id) {
        return schema.jdbc().queryForObject("SELECT COUNT(*) FROM entry WHERE id = ?", Integer.class, id);
    }

    private boolean rowIsLocked() {
        try (Connection connection = schema.schema().dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SET SESSION innodb_lock_wait_timeout = 1");
            statement.execute("UPDATE rowlock_lock SET owner = owner, expires_at = expires_at + INTERVAL 1 SECOND "
                    + "WHERE lock_key = '" + key + "'");
            return false;
        } catch (SQLException ex) {
            assertThat(ex.getErrorCode()).isEqualTo(1205);
            return true;
        }
    }

    /** Notes what the transactions of a node go through, and what a test wants to know at that time. */
    static final class Journal implements TransactionExecutionListener {
        final List<String> lines = new ArrayList<>();
        final Last last = new Last();
        private Supplier<String> state;

        void watch(Supplier<String> what) {
            lines.clear();
            state = what;
        }

        void stop() {
            state = null;
            last.action = () -> {};
        }

        void note(String event) {
            if (state != null) {
                lines.add(event + ": " + state.get());
            }
        }

        @Override
        public void beforeBegin(TransactionExecution transaction) {
            note("begin");
        }

        @Override
        public void beforeCommit(TransactionExecution transaction) {
            note("commit");
        }

        @Override
        public void afterCommit(TransactionExecution transaction, Throwable failure) {
            note("committed");
        }

        /** What happens between the fence and the commit. */
        static final class Last implements TransactionExecutionListener {
            private Runnable action = () -> {};

            @Override
            public void beforeCommit(TransactionExecution transaction) {
                action.run();
            }
        }
    }
}
