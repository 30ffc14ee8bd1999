package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.lease.LeaseTable.async;
import static io.rowlock.store.jdbc.lease.LeaseTable.attempt;
import static io.rowlock.store.jdbc.lease.LeaseTable.freshKey;
import static io.rowlock.store.jdbc.lease.LeaseTable.granted;
import static io.rowlock.store.jdbc.lease.UniqueKeyTable.acquire;
import static io.rowlock.store.jdbc.lease.UniqueKeyTable.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.test.OnEachServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tokens never go back, though the row that had the last one is gone. */
@OnEachServer(dependsOnServer = true)
class UniqueKeyTokenTests extends UniqueKeyContract {

    private long pairAt(UniqueKeyStore at, String key) {
        Lease lease = acquire(at, key);
        assertThat(at.release(lease)).isTrue();
        return lease.fence();
    }

    @Test
    void clockThatIsSetBackTakesNoTokenBack() {
        UniqueKeyStore yesterday = UniqueKeyTable.store(server.pool(config -> config.setConnectionInitSql(
                "SET SESSION innodb_lock_wait_timeout = 1, timestamp = UNIX_TIMESTAMP() - 86400")));
        String key = freshKey();
        long before = pairAt(store, key);
        long behind = pairAt(yesterday, key);
        assertThat(behind).isGreaterThan(before);
        assertThat(pairAt(store, key)).isGreaterThan(behind);
    }

    @Test
    void tableThatWasEmptiedOrRebuiltGoesOn() {
        String key = freshKey();
        long last = pairAt(store, key);
        for (String statement :
                new String[] {"DELETE FROM rowlock_unique_key", "ALTER TABLE rowlock_unique_key ENGINE = InnoDB"}) {
            server.jdbc().execute(statement);
            long next = pairAt(store, key);
            assertThat(next).as(statement).isGreaterThan(last);
            last = next;
        }
    }

    /** TRUNCATE begins the server's counter anew. */
    @Test
    void counterBegunAnewIsMovedOn() {
        String key = freshKey();
        long last = pairAt(store, key);
        for (int round = 0; round < 2; round++) {
            server.jdbc().execute("TRUNCATE TABLE rowlock_unique_key");
            Lease first = acquire(store, key);
            assertThat(first.fence()).isGreaterThan(last);
            assertThat(attempt(store, key)).isInstanceOf(Attempt.Busy.class);
            assertThat(server.jdbc()
                            .queryForObject(
                                    "SELECT fence FROM rowlock_unique_key WHERE lock_key = ?", Long.class, (Object)
                                            bytes(key)))
                    .isEqualTo(first.fence());
            assertThat(store.release(first)).isTrue();
            long second = pairAt(store, key);
            assertThat(second).isGreaterThan(first.fence());
            // the server's counter is moved for good, not each token by itself
            assertThat(server.jdbc().queryForObject("SELECT ? - ?", Long.class, second, first.fence()))
                    .isEqualTo(Lease.TOKENS);
            last = second;
        }
    }

    /** As on a server of a group that numbers its rows in steps, and gives each member others. */
    @Test
    void leaseHasTokensOfItsOwnWhateverStepsTheServerTakes() {
        UniqueKeyStore member = UniqueKeyTable.store(server.pool(config ->
                config.setConnectionInitSql("SET SESSION auto_increment_increment = 7, auto_increment_offset = 3")));
        String key = freshKey();
        for (UniqueKeyStore at : new UniqueKeyStore[] {store, member, member, store}) {
            Lease lease = acquire(at, key);
            assertThat(at.capabilities().handoffs().most(lease.fence(), Duration.ZERO))
                    .isEqualTo(Lease.MOST_HANDOFFS);
            assertThat(at.release(lease)).isTrue();
            long next = pairAt(store, key);
            assertThat(server.jdbc().queryForObject("SELECT ? - ?", Long.class, next, lease.fence()))
                    .isEqualTo(Lease.TOKENS);
        }
    }

    @Test
    void leaseThatMayShareItsTokensIsNotHandedOn() {
        Lease lease = acquire(store, freshKey());
        Lease next = new Lease(lease.key(), lease.mode(), 0, lease.fence() + 1, lease.owner());
        assertThat(store.capabilities().handoffs().most(next.fence(), Duration.ofDays(1)))
                .isZero();
    }

    @Test
    void stripesThatSomebodyHasRemovedComeBack() {
        String key = freshKey();
        long before = pairAt(store, key);
        server.jdbc().execute("DELETE FROM rowlock_unique_key_stripe");
        assertThat(pairAt(store, key)).isGreaterThan(before);
        assertThat(server.count("SELECT COUNT(*) FROM rowlock_unique_key_stripe"))
                .isOne();
    }

    /** Otherwise somebody could draw a later one, be inside and leave, before the earlier one is in the table. */
    @Test
    void tokenIsDrawnOnlyWhenNoOtherOwnerCanTakeTheKeyBefore() throws Exception {
        String key = freshKey();
        pairAt(store, key);
        HikariDataSource patient = patientPool();
        UniqueKeyStore slow = UniqueKeyTable.store(patient);
        long session = LeaseTable.connectionId(patient);
        CompletableFuture<Attempt> waiting;
        long drawnMeanwhile;
        try (LeaseTable.OpenTransaction ahead = server.begin()) {
            UniqueKeyTable.lockStripe(ahead, key);
            waiting = async(() -> attempt(slow, key));
            server.awaitLockWait(session);
            assertThat(ahead.jdbc()
                            .update(
                                    new UniqueKeySql(LeaseTable.PREFIX).acquire,
                                    bytes(key),
                                    "ahead",
                                    7L,
                                    30_000_000L,
                                    bytes(key),
                                    bytes(key)))
                    .isOne();
            drawnMeanwhile = ahead.jdbc().queryForObject("SELECT LAST_INSERT_ID()", Long.class);
            assertThat(ahead.jdbc().update("DELETE FROM rowlock_unique_key WHERE lock_key = ?", (Object) bytes(key)))
                    .isOne();
        }
        assertThat(granted(waiting.get(20, TimeUnit.SECONDS)).fence()).isGreaterThan(drawnMeanwhile);
    }

    @Test
    void rivalThatDidNotSeeTheRowIsRefusedByTheKey() throws Exception {
        String key = freshKey();
        pairAt(store, key);
        HikariDataSource patient = patientPool();
        UniqueKeyStore slow = UniqueKeyTable.store(patient);
        long session = LeaseTable.connectionId(patient);
        CompletableFuture<Attempt> waiting;
        try (LeaseTable.OpenTransaction ahead = server.begin()) {
            UniqueKeyTable.lockStripe(ahead, key);
            waiting = async(() -> attempt(slow, key));
            server.awaitLockWait(session);
            server.jdbc()
                    .update(
                            "INSERT INTO rowlock_unique_key (lock_key, owner, acquired_at, expires_at)"
                                    + " VALUES (?, 'ahead', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) + INTERVAL 1 MINUTE)",
                            (Object) bytes(key));
        }
        assertThat(waiting.get(20, TimeUnit.SECONDS))
                .isInstanceOfSatisfying(
                        Attempt.Busy.class,
                        busy -> assertThat(busy.holder().orElseThrow().owner()).isEqualTo("ahead"));
    }
}
