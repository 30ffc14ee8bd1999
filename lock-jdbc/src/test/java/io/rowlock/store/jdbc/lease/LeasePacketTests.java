package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.lease.LeaseTable.async;
import static io.rowlock.store.jdbc.lease.LeaseTable.attempt;
import static io.rowlock.store.jdbc.lease.LeaseTable.freshKey;
import static io.rowlock.store.jdbc.lease.LeaseTable.granted;
import static io.rowlock.store.jdbc.lease.LeaseTable.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.UncertainOutcomeException;
import io.rowlock.store.jdbc.lease.LeasePacket.Change;
import io.rowlock.store.jdbc.lease.LeasePacket.ChangedGate;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** What one packet does to each gate. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@OnEachServer(dependsOnServer = true)
class LeasePacketTests {
    private LeaseTable table;
    private DataSource pool;
    private final LeasePacket packet = new LeasePacket(new LeasePacketSql("rowlock_lock"));

    @BeforeServer
    void open(TestSchema schema) {
        table = new LeaseTable(schema);
        pool = table.packetPool();
    }

    @AfterServer
    void close() {
        table.close();
    }

    /** @return what was changed, by the key */
    private Map<String, ChangedGate> send(Change... changes) {
        return send(pool, changes);
    }

    private Map<String, ChangedGate> send(DataSource connections, Change... changes) {
        Map<String, ChangedGate> changed = new HashMap<>();
        LeaseTable.database(connections)
                .call(session -> packet.change(session, List.of(changes)))
                .forEach((change, gate) -> gate.ifPresent(present -> changed.put(change.key, present)));
        return changed;
    }

    private static Change take(String key) {
        return Change.acquire(request(key, LockMode.EXCLUSIVE, LeaseTable.TTL));
    }

    private Lease released(String key) {
        Lease lease = table.acquire(key);
        assertThat(table.store().release(lease)).isTrue();
        return lease;
    }

    @Test
    void freeKeyIsTakenForItsTtlWithGreaterToken() {
        Lease before = released(freshKey());
        LeaseRequest request = request(before.key(), LockMode.EXCLUSIVE, LeaseTable.TTL);
        Change change = Change.acquire(request);

        ChangedGate gate = send(change).get(change.key);

        assertThat(gate.fence()).isGreaterThanOrEqualTo(before.fence() + Lease.TOKENS);
        assertThat(gate.shared()).isFalse();
        assertThat(table.jdbc()
                        .queryForMap(
                                "SELECT owner, nonce, fence, TIMESTAMPDIFF(MICROSECOND, acquired_at, expires_at) ttl,"
                                        + " expires_at > UTC_TIMESTAMP(6) + INTERVAL 20 SECOND lasts FROM rowlock_lock WHERE HEX(lock_key) = ?",
                                change.hex))
                .containsEntry("owner", request.owner())
                .containsEntry("nonce", request.nonce())
                .containsEntry("fence", gate.fence())
                .containsEntry("ttl", LeaseTable.TTL.toNanos() / 1_000)
                .hasEntrySatisfying("lasts", lasts -> assertThat(lasts).hasToString("1"));
        assertThat(table.store().abandon(request)).isTrue();
    }

    @Test
    void leaseIsReleasedAndItsTokenStays() {
        Lease lease = table.acquire(freshKey());
        Change change = Change.release(lease);

        assertThat(send(change)).containsExactly(Map.entry(change.key, new ChangedGate(lease.fence(), false, false)));
        assertThat(send(change)).isEmpty();
        assertThat(table.acquire(lease.key()).fence()).isGreaterThanOrEqualTo(lease.fence() + Lease.TOKENS);
    }

    @Test
    void changesThatDoNotFitAreLeftOut() {
        Change free = take(released(freshKey()).key());
        Change missing = take(freshKey());
        Lease other = table.acquire(freshKey());
        Change held = take(other.key());
        Lease expired = table.acquire(freshKey());
        table.expire(expired);
        Change takeover = take(expired.key());
        Lease former = released(freshKey());
        Lease next = table.acquire(former.key());
        Change overtaken = Change.release(former);

        assertThat(send(free, missing, held, takeover, overtaken)).containsOnlyKeys(free.key);

        assertThat(table.store().release(other)).isTrue();
        assertThat(table.store().release(next)).isTrue();
        assertThat(table.count("SELECT COUNT(*) FROM rowlock_lock WHERE HEX(lock_key) = ?", missing.hex))
                .isZero();
    }

    /**
     * On a table of a few rows, where a server may prefer to read all of them. A session that waited for a row lock would do so for
     * longer than the test may take.
     */
    @Test
    @Timeout(20)
    void lockedRowsAreLeftOutAndDelayNoOther() {
        DataSource patient = table.pool(config -> {
            config.setConnectionInitSql("SET SESSION innodb_lock_wait_timeout = 60");
            config.addDataSourceProperty("allowMultiQueries", "true");
        });
        Change free = take(released(freshKey()).key());
        Change locked = take(released(freshKey()).key());
        String third = released(freshKey()).key();
        try (LeaseTable.OpenTransaction other = table.begin()) {
            other.lock(locked.key, 0, "FOR UPDATE").lock(third, 0, "FOR UPDATE");

            assertThat(send(patient, locked, free)).containsOnlyKeys(free.key);
        }
        assertThat(send(locked)).containsOnlyKeys(locked.key);
    }

    @Test
    void gateThatHadReadersIsSaidToHave() {
        Lease reader = table.acquireShared(freshKey());
        table.store().release(reader);
        Change change = take(reader.key());

        assertThat(send(change).get(change.key).shared()).isTrue();
    }

    @Test
    void keysAndOwnersOfAnyKindArriveAsTheyAre() {
        String key = "ключ '\"\\;`%" + freshKey();
        released(key);
        LeaseRequest plain = request(key, LockMode.EXCLUSIVE, LeaseTable.TTL);
        LeaseRequest request =
                new LeaseRequest(key, plain.mode(), "Zoë 😀 '; --", plain.ttl(), plain.nonce(), plain.timeLimit(), 0);
        Change change = Change.acquire(request);

        assertThat(send(change)).containsOnlyKeys(change.key);
        assertThat(table.jdbc()
                        .queryForObject(
                                "SELECT owner FROM rowlock_lock WHERE HEX(lock_key) = ?", String.class, change.hex))
                .isEqualTo(request.owner());
    }

    @Test
    void releaseSaysWhetherOthersWait() {
        Lease lease = table.acquire(freshKey());
        try (LeaseTable.OpenTransaction waiter = table.begin().queue(lease.key())) {
            assertThat(waiter).isNotNull();
            Change change = Change.release(lease);
            assertThat(send(change).get(change.key).waitedFor()).isTrue();
        }
    }

    /** As many as one packet carries, with keys as long as they may be. */
    @Test
    void manyChangesAreOnePacket() {
        List<Lease> held =
                IntStream.range(0, 32).mapToObj(i -> table.acquire(longKey())).toList();
        List<String> free =
                IntStream.range(0, 32).mapToObj(i -> released(longKey()).key()).toList();
        Change[] changes = Stream.concat(
                        held.stream().map(Change::release), free.stream().map(LeasePacketTests::take))
                .toArray(Change[]::new);

        assertThat(send(changes)).hasSize(64);
        assertThat(attempt(table.store(), free.get(0))).isInstanceOf(Attempt.Busy.class);
        assertThat(granted(attempt(table.store(), held.get(0).key()))).isNotNull();
    }

    /** Between a packet's look at the gates and their update, another session may create one. */
    @Test
    void gateThatIsCreatedMeanwhileIsTakenByOneThatKnows() throws Exception {
        NamedLocks queues = new NamedLocks(pool, 4, LeaseTable.QUERY_TIMEOUT);
        LockStore inPackets =
                LeasesInPackets.store(LeaseTable.database(pool), LeaseTable.PREFIX, queues, LeaseTable.database(pool));
        CyclicBarrier start = new CyclicBarrier(2);
        for (int i = 0; i < 300; i++) {
            String key = freshKey();
            CompletableFuture<Attempt> one = async(() -> {
                start.await();
                return attempt(inPackets, key);
            });
            CompletableFuture<Attempt> other = async(() -> {
                start.await();
                return attempt(table.store(), key);
            });
            assertThat(List.of(one.get(20, TimeUnit.SECONDS), other.get(20, TimeUnit.SECONDS)))
                    .filteredOn(Attempt.Granted.class::isInstance)
                    .hasSize(1);
        }
        inPackets.close();
        queues.close();
    }

    /** With {@code completion_type} a COMMIT begins the next transaction, in which that statement would stay. */
    @Test
    void gateThatIsCreatedBehindAPacketIsCommitted() {
        DataSource chained = table.pool(config -> {
            config.setMaximumPoolSize(1);
            config.setConnectionInitSql("SET SESSION completion_type = CHAIN");
            config.addDataSourceProperty("allowMultiQueries", "true");
        });
        Change change = take(freshKey());
        Map<Change, Optional<ChangedGate>> created = LeaseTable.database(chained)
                .call(session -> {
                    assertThat(packet.change(session, List.of(change))).isEmpty();
                    return packet.create(session, List.of(change));
                });
        assertThat(created.get(change)).isPresent();
        assertThat(table.count("SELECT COUNT(*) FROM rowlock_lock WHERE HEX(lock_key) = ?", change.hex))
                .isOne();
    }

    /** The packet has committed by then: what it took must not be forgotten, nor be asked for again as if nothing had happened. */
    @Test
    void packetWhoseLastLookFailsLeavesOpenWhatItTook() {
        String key = freshKey();
        LeaseRequest request = request(key, LockMode.EXCLUSIVE, LeaseTable.TTL);
        Change change = Change.acquire(request);
        DataSource meanwhile = new CreatedMeanwhile(pool, change);

        assertThatExceptionOfType(UncertainOutcomeException.class).isThrownBy(() -> send(meanwhile, change));

        assertThat(attempt(table.store(), key)).isInstanceOf(Attempt.Busy.class);
        assertThat(table.store().abandon(request)).isTrue();
        assertThat(attempt(table.store(), key)).isInstanceOf(Attempt.Granted.class);
    }

    /** A gate is created between a packet's look at it and its update, and the look that finds it fails, once. */
    private static final class CreatedMeanwhile extends DelegatingDataSource {
        private final String insert;
        private final AtomicBoolean failed = new AtomicBoolean();

        CreatedMeanwhile(DataSource pool, Change change) {
            super(pool);
            insert = "INSERT INTO rowlock_lock (lock_key, slot, owner, fence, acquired_at, expires_at)"
                    + " VALUES (x'%s', 0, '', 1, UTC_TIMESTAMP(6), '1970-01-01');".formatted(change.hex);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            return proxy(Connection.class, connection, (method, arguments) -> {
                Object result = method.invoke(connection, arguments);
                return method.getName().equals("createStatement") ? watched((Statement) result) : result;
            });
        }

        private Statement watched(Statement statement) {
            return proxy(Statement.class, statement, (method, arguments) -> {
                if (method.getName().equals("execute")) {
                    String sql = (String) arguments[0];
                    if (sql.startsWith("SELECT") && sql.contains("nonce") && failed.compareAndSet(false, true)) {
                        throw new SQLException("Deadlock found", "40001", 1213);
                    }
                    arguments[0] =
                            failed.get() ? sql : sql.replace("FOR UPDATE NOWAIT;", "FOR UPDATE NOWAIT;" + insert);
                }
                return method.invoke(statement, arguments);
            });
        }

        private interface Call {
            @Nullable
            Object run(Method method, Object[] arguments) throws Throwable;
        }

        private static <T> T proxy(Class<T> type, T real, Call call) {
            return type.cast(Proxy.newProxyInstance(
                    real.getClass().getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                        try {
                            return call.run(method, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    }));
        }
    }

    private static String longKey() {
        String key = freshKey();
        return key + "x".repeat(255 - key.length());
    }
}
