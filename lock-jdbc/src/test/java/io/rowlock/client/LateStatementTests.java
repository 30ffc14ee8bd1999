package io.rowlock.client;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.client.Node.Logging;
import io.rowlock.leader.LeaderRole;
import io.rowlock.store.LockStore.Downgrade;
import io.rowlock.store.UncertainOutcomeException;
import io.rowlock.store.jdbc.lease.UniqueKeyStore;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.test.OnEachServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Statements that arrive late, and answers that do not arrive: never two holders, and no key is stuck. */
@Order(15)
@OnEachServer
class LateStatementTests extends ClientContract {
    static final Predicate<String> ACQUIRE =
            sql -> sql.startsWith("UPDATE rowlock_lock") && sql.contains("LAST_INSERT_ID(GREATEST");
    static final Predicate<String> READ =
            sql -> sql.startsWith("INSERT INTO rowlock_lock") && sql.contains("shared = 1");
    static final Predicate<String> TAKE_BACK =
            sql -> sql.startsWith("UPDATE rowlock_lock") && sql.contains("AND nonce = ?");
    static final Predicate<String> RELEASE = sql ->
            sql.startsWith("UPDATE rowlock_lock SET expires_at = '1970-01-01', owner = ") && sql.contains("fence = ?");
    static final Predicate<String> READERS_RELEASE =
            sql -> sql.equals("DELETE FROM rowlock_lock WHERE lock_key = ? AND slot = ?");
    static final Predicate<String> KEEP = sql -> sql.startsWith("UPDATE rowlock_lock SET acquired_at");
    static final Predicate<String> INSERT_KEY = sql -> sql.contains("INTO rowlock_unique_key (");
    static final Predicate<String> TAKE_KEY_BACK =
            sql -> sql.startsWith("DELETE FROM rowlock_unique_key") && sql.contains("nonce = ?");

    private final class Late {
        final HikariDataSource pool = Pools.locks(schema);
        final LateStatements network = new LateStatements(pool);
        final Node node;

        Late(Logging logging) {
            node = closing(new Node(pool, network, "late", logging));
        }

        Late() {
            this(Logging.OFF);
        }

        HeldLock takeAtLast(String key) {
            return await().ignoreExceptionsInstanceOf(LockStoreException.class)
                    .until(() -> node.tryTake(key), Optional::isPresent)
                    .orElseThrow();
        }

        /** It has found nothing, as what it is to take back is still on its way. */
        void awaitFirstTakeBack() {
            AtomicInteger asked = new AtomicInteger();
            node.store.abandoning = (request, real) -> {
                boolean ended = real.call(request);
                asked.incrementAndGet();
                return ended;
            };
            await().until(() -> asked.get() > 0);
        }

        void awaitStruck() {
            await().until(network::hasStruck);
        }
    }

    private static void assertUncertain(Runnable attempt) {
        assertThatThrownBy(attempt::run).isInstanceOf(UncertainOutcomeException.class);
    }

    private static void assertHeld(HeldLock lock) {
        assertThat(lock.isHeld()).isTrue();
    }

    @Test
    void lateTakeBackEndsNoLaterLeaseOfTheSameProcess() {
        Late late = new Late();
        late.network.loseAnswerTo(ACQUIRE);
        assertUncertain(() -> late.node.take("a"));
        late.network.holdUp(TAKE_BACK);
        HeldLock lock = late.takeAtLast("a");
        late.awaitStruck();
        late.network.arrive();
        assertThat(table.isFree("a")).isFalse();
        assertThat(rival.canTake("a")).isFalse();
        assertHeld(lock);
        lock.close();
        assertThat(late.node.count(LockEvent.Type.LOST, "a")).isZero();
    }

    @Test
    void lateTakeBackOfAUniqueKeyEndsNoLaterLeaseOfTheSameProcess() {
        Late late = new Late();
        RowlockClient keys = uniqueKeys(late.network, "late");
        RowlockClient others = uniqueKeys(rival.pool, "rival");
        LockRequest request = LockRequest.exclusive("late-" + System.nanoTime());
        late.network.loseAnswerTo(INSERT_KEY);
        assertUncertain(() -> keys.acquire(request));
        late.network.holdUp(TAKE_KEY_BACK);
        HeldLock lock = await().ignoreExceptionsInstanceOf(LockStoreException.class)
                .until(() -> keys.tryAcquire(request), Optional::isPresent)
                .orElseThrow();
        late.awaitStruck();
        late.network.arrive();
        assertThat(others.tryAcquire(request)).isEmpty();
        assertHeld(lock);
        lock.close();
        others.tryAcquire(request).orElseThrow().close();
    }

    private RowlockClient uniqueKeys(DataSource pool, String owner) {
        LockDatabase database = new LockDatabase(pool, 8, Node.QUERY_TIMEOUT);
        return closing(RowlockClient.builder(new UniqueKeyStore(database, Node.PREFIX, null))
                .waitTime(Duration.ZERO)
                .owner(owner)
                .build());
    }

    @Test
    void lateTakeBackMakesNoSecondLeader() {
        Late late = new Late();
        LeaderRole role = LeaderRole.named("boss");
        late.network.loseAnswerTo(ACQUIRE);
        Candidate leader = closing(new Candidate(late.node, role));
        late.awaitStruck();
        late.network.holdUp(TAKE_BACK);
        late.awaitStruck();
        leader.awaitLeading();
        Candidate other = closing(new Candidate(rival, role));
        late.network.arrive();
        await().during(ofSeconds(2)).until(() -> !(other.election.isLeader() && leader.election.isLeader()));
        assertThat(leader.election.isLeader()).isTrue();
    }

    @Test
    void lateAttemptBlocksTheKeyForSomeSecondsOnly() {
        Late late = new Late();
        long before = token(late.node.take("a"));
        late.network.holdUp(ACQUIRE);
        assertUncertain(() -> late.node.take("a"));
        late.awaitFirstTakeBack();
        late.network.arrive();
        assertThat(token(rival.client.acquire(LockRequest.exclusive("a")))).isGreaterThan(before);
        await().until(() -> late.node.use().pendingReleases() == 0);
    }

    private static long token(HeldLock lock) {
        lock.close();
        return lock.fencingToken();
    }

    @Test
    void lateReaderBlocksTheKeyForSomeSecondsOnly() {
        Late late = new Late();
        late.node.read("a").close();
        await().pollDelay(ofMillis(150)).until(() -> true); // no thread joins the lease any more
        late.network.holdUp(READ);
        assertUncertain(() -> late.node.read("a"));
        late.awaitFirstTakeBack();
        late.network.arrive();
        rival.client.acquire(LockRequest.exclusive("a")).close();
    }

    @Test
    void processIsNotInItsOwnWay() {
        Late late = new Late();
        late.node.take("a").close();
        late.network.loseAnswerTo(ACQUIRE);
        assertUncertain(() -> late.node.take("a"));
        late.node.tryTake("a").orElseThrow().close();
    }

    // ---- the downgrade

    @Test
    void writerOfWhichItIsNotKnownWhetherItReadsIsNotHandedOn() throws Exception {
        Late late = new Late();
        HeldLock writer = late.node.take("a");
        HeldLock reader = late.node.read("a");
        late.network.loseAnswerTo(LateStatements.COMMIT);
        writer.close();
        assertThat(late.network.hasStruck()).isTrue();
        assertHeld(reader);
        HeldLock besides = rival.read("a");
        Other<HeldLock> next = Other.does(() -> late.node.take("a"));
        next.awaitWaiting();
        reader.close();
        await().during(ofMillis(500)).until(() -> !next.isDone());
        assertHeld(besides);
        besides.close();
        next.get();
        assertThat(table.live("a")).as("no reader's row is left").isEqualTo(1);
    }

    @Test
    void lateCommitOfADowngradeIsWaitedFor() throws Exception {
        Late late = new Late();
        HeldLock writer = late.node.take("a");
        HeldLock reader = late.node.read("a");
        late.network.holdUp(LateStatements.COMMIT);
        Other<Boolean> closing = Other.does(() -> {
            writer.close();
            return true;
        });
        late.awaitStruck();
        assertThat(rival.client.tryAcquire(LockRequest.shared("a"))).isEmpty();
        late.network.arrive();
        assertThat(closing.get()).isTrue();
        assertHeld(reader);
        rival.read("a").close();
        assertThat(rival.canTake("a")).isFalse();
        reader.close();
        assertThat(rival.canTake("a")).isTrue();
    }

    @Test
    void downgradeThatStaysUnknownIsALossAndLeavesNothingBehind() {
        for (boolean done : List.of(true, false)) {
            AtomicInteger asked = new AtomicInteger();
            node.store.downgrading = (lease, real) -> {
                if (asked.incrementAndGet() == 1) {
                    Downgrade unused = done ? real.call(lease) : new Downgrade.Unchanged();
                    throw new UncertainOutcomeException("no answer", new IllegalStateException());
                }
                node.pause(ofSeconds(3));
                throw new LockStoreException("no answer either", null);
            };
            HeldLock writer = node.take("a");
            HeldLock reader = node.read("a");
            writer.close();
            assertThat(asked).hasValueGreaterThan(2);
            assertThat(reader.isHeld()).isFalse();
            await().until(() -> rival.canTake("a"));
            reader.close();
        }
        await().until(() -> node.count(LockEvent.Type.LOST, "a") == 2);
        assertThat(node.use().leases()).isZero();
    }

    // ---- the release

    @Test
    void releaseWithoutAnAnswerIsSentAgain() {
        Late late = new Late(Logging.ASYNC);
        HeldLock lost = late.node.take("a");
        late.network.holdUp(RELEASE);
        assertUncertain(lost::close);
        await().until(() -> rival.canTake("a"));
        HeldLock done = late.node.take("b");
        late.network.loseAnswerTo(RELEASE);
        assertUncertain(done::close);
        for (String key : List.of("a", "b")) {
            await().until(() -> late.node.count(LockEvent.Type.RELEASED, key) == 1);
            await().until(() -> status(key).equals(List.of("RELEASED")));
            assertThat(late.node.count(LockEvent.Type.LOST, key)).isZero();
        }
        HeldLock other = rival.take("a");
        late.network.arrive();
        assertThat(table.isFree("a")).isFalse();
        other.close();
        await().until(() -> late.node.use().pendingReleases() == 0);
    }

    private List<String> status(String key) {
        return table.sql.queryForList(
                "SELECT status FROM rowlock_lock_log WHERE lock_key = ? AND owner = 'late'", String.class, key);
    }

    @Test
    void readersReleaseWithoutAnAnswerIsSentAgain() {
        Late late = new Late();
        HeldLock lock = late.node.read("a");
        late.network.holdUp(READERS_RELEASE);
        assertUncertain(lock::close);
        await().until(() -> rival.canTake("a"));
    }

    @Test
    void nextThreadSendsAReleaseWithoutAnAnswerAgain() {
        Late late = new Late();
        HeldLock lock = late.node.take("a");
        late.network.holdUp(RELEASE);
        assertUncertain(lock::close);
        late.node.tryTake("a").orElseThrow().close();
    }

    @Test
    void minimumWithoutAnAnswerIsSentAgain() {
        Late late = new Late();
        HeldLock lock = late.node.client.acquire(LockRequest.exclusive("a").withHoldAtLeast(ofSeconds(3)));
        late.network.holdUp(KEEP);
        assertUncertain(lock::close);
        await().until(() -> table.millisLeft("a") < 3_000);
        assertThat(rival.canTake("a")).isFalse();
        await().until(() -> rival.canTake("a"));
        HeldLock other = rival.take("a");
        late.network.arrive();
        assertThat(table.millisLeft("a")).isGreaterThan(10_000);
        other.close();
    }

    @Test
    void restOfALostLeaseIsGivenBackThoughTheFirstTryGotNoAnswer() {
        Late late = new Late();
        HeldLock lock = late.node.client.acquire(LockRequest.exclusive("a").withRenewal(false));
        late.node.pause(ofSeconds(31));
        late.network.holdUp(RELEASE);
        lock.close();
        late.awaitStruck();
        await().until(() -> rival.canTake("a"));
    }

    @Test
    void closingClientSendsAReleaseOnceMore() {
        Late late = new Late();
        HeldLock lock = late.node.take("a");
        late.network.holdUp(RELEASE);
        late.node.client.close();
        assertThat(late.network.hasStruck()).isTrue();
        assertThat(rival.canTake("a")).isTrue();
        lock.close();
    }
}
