package io.rowlock.client;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockStoreException;
import io.rowlock.test.OnEachServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The database answers that it cannot. */
@Order(12)
@OnEachServer
class DeadlineTests extends DeadlineContract {
    @ParameterizedTest
    @ValueSource(longs = {0, 1_000})
    void serverThatRefusesConnections(long waitMillis) throws Exception {
        connect();
        cable.refuse();
        assertThat(failure(exclusive(ofMillis(waitMillis), "a"))).isInstanceOf(LockStoreException.class);
        assertThat(failure(exclusive(ofMillis(waitMillis), "a"))).isInstanceOf(LockStoreException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1_000})
    void poolWithoutAConnectionToGive(long waitMillis) throws Exception {
        connect();
        for (int i = 0; i < node.pool.getMaximumPoolSize(); i++) {
            closing(node.pool.getConnection());
        }
        assertThat(failure(exclusive(ofMillis(waitMillis), "a")))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("pool");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1_000})
    void rowThatAnotherTransactionHasLockedIsBusy(long waitMillis) throws Exception {
        node = closing(new Node(Pools.locks(schema), "patient", ofSeconds(30))); // the server says so after a second
        connect();
        try (Connection other = schema.dataSource().getConnection();
                PreparedStatement lock =
                        other.prepareStatement("SELECT * FROM rowlock_lock WHERE lock_key = ? FOR UPDATE")) {
            other.setAutoCommit(false);
            lock.setBytes(1, LockTable.bytes("a"));
            assertThat(lock.executeQuery().next()).isTrue();
            assertThat(failure(exclusive(ofMillis(waitMillis), "a"))).isInstanceOf(LockNotAcquiredException.class);
            other.rollback();
        }
        assertThat(node.canTake("a")).isTrue();
    }
}
