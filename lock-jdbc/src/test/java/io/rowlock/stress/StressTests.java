package io.rowlock.stress;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.store.CommitCheck;
import io.rowlock.test.FullBuild;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.ResourceLocksProvider;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nodes that fight for locks while everything goes wrong that can, and an oracle that judges every grant and commit. Runs,
 * with {@link RowLockStressTests}, for five seconds on a server, or for {@code -Drowlock.test.stress.seconds};
 * {@code -Drowlock.test.stress.seed} repeats a run's choices, though not its timing.
 */
@ResourceLock(providers = StressTests.Room.class)
@ExtendWith(WithoutLog.class)
@Order(12)
@OnEachServer(dependsOnServer = true, inBothBuilds = true)
class StressTests {
    private static final int SECONDS = Integer.getInteger("rowlock.test.stress.seconds", 5);
    private static final long SEED = Long.getLong("rowlock.test.stress.seed", System.nanoTime());
    private static final int NODES = 3;
    private static final List<String> ALL_MODES = List.of(Oracle.WRITERS, Oracle.READERS, Oracle.PERMITS);

    /** Lets one class of stress run at a time; in the full build, where it loads the machine for minutes, beside no other class. */
    static final class Room implements ResourceLocksProvider {
        @Override
        public Set<Lock> provideForClass(Class<?> testClass) {
            return Set.of(new Lock(FullBuild.isRunning() ? Resources.GLOBAL : "io.rowlock.stress"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRANSACTION_READ_COMMITTED", "TRANSACTION_REPEATABLE_READ"})
    void storeNeverLetsTwoIn(String isolation, TestSchema schema, DatabaseServer server) throws Exception {
        stressStore(Strategy.LEASE, ALL_MODES, isolation, schema, server);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRANSACTION_READ_COMMITTED", "TRANSACTION_REPEATABLE_READ"})
    void uniqueKeysNeverLetTwoIn(String isolation, TestSchema schema, DatabaseServer server) throws Exception {
        stressStore(Strategy.UNIQUE_KEY, List.of(Oracle.WRITERS), isolation, schema, server);
    }

    private void stressStore(
            Strategy strategy, List<String> modes, String isolation, TestSchema schema, DatabaseServer server)
            throws Exception {
        Oracle oracle = new Oracle();
        Crew crew = new Crew(SEED, oracle, modes, "rounds of clean-up");
        Keys keys = Keys.of("store");
        List<StoreNode> nodes = new ArrayList<>();
        try (Ledger ledger = new Ledger(schema, isolation, oracle).guardedBy();
                Disturber disturber = new Disturber(strategy, schema, keys, oracle)) {
            ledger.open(keys.all());
            CommitCheck fence = strategy.fence(ledger.sessions());
            for (int i = 0; i < NODES; i++) {
                StoreNode node = new StoreNode(strategy, schema, "node-" + i, oracle);
                nodes.add(node);
                for (int thread = 0; thread < 12; thread++) {
                    crew.hireOne(node.name, dice -> new StoreActor(node, keys, ledger, fence, oracle, dice)::once);
                }
                crew.hire(node.name + "-renewal", node::renew);
            }
            List<Sessions> victims = new ArrayList<>(List.of(ledger.sessions()));
            nodes.forEach(node -> victims.add(node.sessions));
            hireDisturbers(crew, disturber, victims, nodes);
            Report.of(server, "store, " + strategy + ", " + isolation, SEED, oracle, disturber)
                    .during(
                            () -> crew.work(Duration.ofMillis(SECONDS * (strategy == Strategy.LEASE ? 150L : 50L))),
                            () -> ledger.judge(keys.all(), List.of(ledger)));
        } finally {
            nodes.forEach(StoreNode::close);
        }
        assertSafe(oracle, modes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRANSACTION_READ_COMMITTED", "TRANSACTION_REPEATABLE_READ"})
    void clientNeverLetsTwoIn(String isolation, TestSchema schema, DatabaseServer server) throws Exception {
        Oracle oracle = new Oracle();
        Crew crew = new Crew(SEED, oracle, ALL_MODES, "rounds of clean-up");
        Keys keys = Keys.of("client");
        Deque<AutoCloseable> open = new ArrayDeque<>();
        try (Disturber disturber = new Disturber(Strategy.LEASE, schema, keys, oracle)) {
            List<Ledger> ledgers = new ArrayList<>();
            List<Sessions> victims = new ArrayList<>();
            for (int i = 0; i < NODES; i++) {
                ClientNode node = new ClientNode(schema, "client-" + i, isolation, oracle);
                open.push(node);
                ledgers.add(node.ledger);
                victims.addAll(List.of(node.sessions, node.ledger.sessions()));
                for (int thread = 0; thread < 8; thread++) {
                    crew.hireOne(node.name, dice -> node.actor(keys, oracle, dice)::once);
                }
            }
            ledgers.get(0).open(keys.all());
            hireDisturbers(crew, disturber, victims, List.of());
            Report.of(server, "client, " + isolation, SEED, oracle, disturber)
                    .during(
                            () -> crew.work(Duration.ofMillis(SECONDS * 150L)),
                            () -> ledgers.get(0).judge(keys.all(), ledgers));
        } finally {
            while (!open.isEmpty()) {
                open.pop().close();
            }
        }
        assertSafe(oracle, ALL_MODES);
    }

    private static void hireDisturbers(Crew crew, Disturber disturber, List<Sessions> victims, List<StoreNode> nodes) {
        for (int i = 0; i < 2; i++) {
            crew.hire("clean-up", disturber::cleanUp);
            crew.hire(
                    "hog",
                    dice -> disturber.hogRows(
                            dice, nodes.isEmpty() ? List.of() : dice.of(nodes).renewedKeys()));
            String key = "clock-" + i;
            crew.hire("clock", dice -> disturber.setClockBack(dice, key));
        }
        crew.hire("killer", dice -> disturber.kill(dice, victims));
    }

    private static void assertSafe(Oracle oracle, List<String> modes) {
        assertThat(oracle.violations()).isEmpty();
        assertThat(modes).allSatisfy(mode -> assertThat(oracle.counted(mode)).isPositive());
        assertThat(oracle.counted("rounds of clean-up")).isPositive();
    }
}
