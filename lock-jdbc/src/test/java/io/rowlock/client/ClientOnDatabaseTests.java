package io.rowlock.client;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.test.OnEachServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;

/** What the contracts of the client cannot ask of every store: transactions, pools, rows and views of a database. */
@OnEachServer
class ClientOnDatabaseTests extends ClientContract {
    private boolean canRead(Node other) {
        Optional<HeldLock> lock = other.client.tryAcquire(LockRequest.shared("a"));
        lock.ifPresent(HeldLock::close);
        return lock.isPresent();
    }

    @Test
    void noneOfSeveralKeysIsKeptByAnOpenTransactionIfOneIsBusy() {
        Application application = newApplication(2);
        try (HeldLock busy = rival.take("b")) {
            application.inTransaction(() -> {
                assertThat(node.client.tryAcquire(LockRequest.exclusive("a", "b")))
                        .isEmpty();
                assertThat(table.isFree("a")).isTrue();
            });
        }
    }

    @Test
    void releaseOfAnInterruptedThreadSucceedsThoughThePoolIsBusy() throws Exception {
        Other<Boolean> thread = Other.does(() -> {
            HeldLock lock = node.take("a");
            List<AutoCloseable> connections = new ArrayList<>();
            for (int i = 0; i < node.pool.getMaximumPoolSize(); i++) {
                connections.add(node.pool.getConnection());
            }
            Other<Boolean> giver = Other.does(() -> {
                await().until(() -> node.pool.getHikariPoolMXBean().getThreadsAwaitingConnection() > 0);
                for (AutoCloseable connection : connections) {
                    connection.close();
                }
                return true;
            });
            Thread.currentThread().interrupt();
            lock.close();
            boolean flagged = Thread.interrupted();
            return giver.get() && flagged;
        });
        assertThat(thread.get()).isTrue();
        assertThat(table.isFree("a")).isTrue();
    }

    @Test
    void openTransactionKeepsTheLockExclusiveUntilItHasCompleted() {
        Application application = newApplication(2);
        List<HeldLock> readers = new ArrayList<>();
        application.inTransaction(() -> {
            HeldLock writer = node.take("a");
            readers.add(node.read("a"));
            writer.close();
            assertThat(canRead(rival)).isFalse();
        });
        assertThat(canRead(rival)).isTrue();
        assertThat(rival.canTake("a")).isFalse();
        readers.get(0).close();
        assertThat(rival.canTake("a")).isTrue();
    }

    @Test
    void fenceGuardsTheReader() {
        Application application = newApplication(2);
        HeldLock writer = node.take("a");
        HeldLock reader = node.read("a");
        writer.close();
        application.inTransaction(application::deposit);
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> application.inTransaction(() -> {
                    application.deposit();
                    table.age("a");
                    rival.take("a").close();
                }));
        assertThat(table.balance()).isEqualTo(1);
        reader.close();
    }

    @Test
    @SuppressWarnings("LockNotBeforeTry") // what lock and unlock do is what is tested
    void openTransactionKeepsAnUnlockedLock() {
        Lock lock = node.client.lock("a");
        newApplication(2).inTransaction(() -> {
            lock.lock();
            lock.unlock();
            assertThat(rival.canTake("a")).isFalse();
            assertThat(lock.tryLock()).isTrue();
            lock.unlock();
        });
        assertThat(rival.canTake("a")).isTrue();
    }

    @Test
    void lockThatWasKeptForItsMinimumHasNoDeadHolder() throws Exception {
        node.client
                .acquire(LockRequest.exclusive("a").withHoldAtLeast(ofSeconds(20)))
                .close();
        assertThat(rival.tryTake("a")).isEmpty();
        table.sql.update(
                "UPDATE rowlock_lock SET acquired_at = acquired_at - INTERVAL 1 HOUR,"
                        + " expires_at = expires_at - INTERVAL 1 HOUR WHERE lock_key = ?",
                (Object) LockTable.bytes("a"));
        rival.take("a").close();
        await().until(() -> rival.count(LockEvent.Type.RELEASED, "a") == 1);
        assertThat(rival.count(LockEvent.Type.EXPIRED, "a")).isZero();
    }

    @Test
    void stuckRowEndangersNoOtherLease() throws Exception {
        HeldLock stuck = node.client.acquire(LockRequest.exclusive("stuck").withTtl(ofSeconds(8)));
        HeldLock other = node.client.acquire(LockRequest.exclusive("zzz").withTtl(ofSeconds(8)));
        try (Connection connection = schema.dataSource().getConnection();
                PreparedStatement lock =
                        connection.prepareStatement("SELECT 1 FROM rowlock_lock WHERE lock_key = ? FOR UPDATE")) {
            connection.setAutoCommit(false);
            lock.setBytes(1, LockTable.bytes("stuck"));
            lock.executeQuery().close();
            await().until(() -> node.count(LockEvent.Type.AT_RISK, "stuck") == 1);
            await().until(() -> node.count(LockEvent.Type.LOST, "stuck") == 1);
            assertThat(other.isHeld()).isTrue();
            connection.rollback();
        }
        assertThat(node.count(LockEvent.Type.AT_RISK, "zzz")).isZero();
        assertThat(node.count(LockEvent.Type.LOST, "zzz")).isZero();
        stuck.close();
        other.close();
    }

    @Test
    void lostPermitRefusesTheCommit() {
        Application application = newApplication(2);
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> node.client.execute(LockRequest.permit("a", 2), () -> {
                    application.inTransaction(() -> {
                        application.deposit();
                        table.age("a");
                    });
                    return true;
                }));
        assertThat(table.balance()).isZero();
    }

    @Test
    void permitIsSeenInTheView() {
        try (HeldLock permit = node.client.acquire(LockRequest.permit("a", 2))) {
            assertThat(permit.isHeld()).isTrue();
            assertThat(table.sql.queryForList("SELECT mode FROM rowlock_locks_held", String.class))
                    .containsExactly("PERMIT");
        }
    }
}
