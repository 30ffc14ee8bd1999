package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.client.request.Handoff;
import io.rowlock.store.LockStore;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.store.jdbc.lease.UniqueKeyStore;
import io.rowlock.store.jdbc.rowlock.RowLockStore;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each exclusive grant of a key has a greater token than all before it, whichever thread of whichever process got it. */
@OnEachServer
class TokenTests {
    private static final int THREADS = 4;
    private static final int ROUNDS = 60;

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void stop() throws Exception {
        Collections.reverse(open);
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private RowlockClient process(TestSchema schema, String strategy, String owner) {
        if (strategy.equals(RowLockStore.NAME)) {
            RowNode node = new RowNode(schema, owner);
            open.add(node);
            return node.client;
        }
        HikariDataSource pool = Pools.locks(schema);
        open.add(pool);
        LockDatabase database = new LockDatabase(pool, 8, Node.QUERY_TIMEOUT);
        LockStore store = strategy.equals(LeaseStore.NAME)
                ? new LeaseStore(database, Node.PREFIX, null, null)
                : new UniqueKeyStore(database, Node.PREFIX, null);
        RowlockClient client = RowlockClient.builder(store)
                .waitTime(Duration.ZERO)
                .owner(owner)
                .handoff(new Handoff(5, Duration.ofMillis(50)))
                .build();
        open.add(client);
        return client;
    }

    @ParameterizedTest
    @ValueSource(strings = {LeaseStore.NAME, UniqueKeyStore.NAME, RowLockStore.NAME})
    void tokensGrowFromThreadToThreadAndFromProcessToProcess(String strategy, TestSchema schema) throws Exception {
        List<RowlockClient> processes = List.of(process(schema, strategy, "one"), process(schema, strategy, "two"));
        List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
        List<Other<Boolean>> threads = IntStream.range(0, 2 * THREADS)
                .mapToObj(i -> Other.does(() -> use(processes.get(i % 2), tokens)))
                .toList();
        for (Other<Boolean> thread : threads) {
            assertThat(thread.get()).isTrue();
        }
        assertThat(tokens).hasSize(2 * THREADS * ROUNDS).isSorted().doesNotHaveDuplicates();
        long handedOn = IntStream.range(1, tokens.size())
                .filter(i -> tokens.get(i) == tokens.get(i - 1) + 1)
                .count();
        assertThat(handedOn).isPositive().isLessThan(tokens.size() - 1L);
    }

    private static boolean use(RowlockClient client, List<Long> tokens) {
        for (int round = 0; round < ROUNDS; round++) {
            try (HeldLock lock = client.acquire(LockRequest.exclusive("a").withWaitTime(Duration.ofSeconds(30)))) {
                tokens.add(lock.fencingToken());
                assertThat(lock.isHeld()).isTrue();
            }
        }
        return true;
    }
}
