package io.rowlock.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.store.jdbc.cleanup.ImpatientCleanUp;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.RunReport;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nodes that guard transactions with row locks, while sessions are killed before and after the check of a commit, and the
 * clean-up removes the rows of each key that is not in use.
 */
@ResourceLock(providers = StressTests.Room.class)
@ExtendWith(WithoutLog.class)
@OnEachServer(dependsOnServer = true, inBothBuilds = true)
class RowLockStressTests {
    private static final int SECONDS = Integer.getInteger("rowlock.test.stress.seconds", 5);
    private static final long SEED = Long.getLong("rowlock.test.stress.seed", System.nanoTime());
    private static final int NODES = 3;
    private static final int THREADS = 6;

    @ParameterizedTest
    @ValueSource(strings = {"TRANSACTION_READ_COMMITTED", "TRANSACTION_REPEATABLE_READ"})
    void barrierKeepsCommitsApart(String isolation, TestSchema schema, DatabaseServer server) throws Exception {
        Oracle oracle = new Oracle();
        Crew crew = new Crew(
                SEED,
                oracle,
                List.of(Oracle.WRITERS, Oracle.READERS),
                "sessions killed",
                "keys removed",
                "changes committed");
        Keys keys = new Keys(List.of("row-hot-0", "row-hot-1"), List.of("row-cold-0", "row-cold-1", "row-cold-2"));
        List<RowLockNode> nodes = new ArrayList<>();
        try (HikariDataSource killer = Pools.locks(schema, 4, "");
                Ledger ledger = new Ledger(schema, isolation, oracle).guardedBy()) {
            ledger.open(keys.all());
            for (int i = 0; i < NODES; i++) {
                RowLockNode node = new RowLockNode(schema, "row-node-" + i, killer, oracle);
                nodes.add(node);
                for (int thread = 0; thread < THREADS; thread++) {
                    crew.hireOne(node.name, dice -> new RowLockActor(node, keys, ledger, oracle, dice)::once);
                }
                crew.hire(node.name + "-renewal", node::renew);
            }
            IntSupplier cleanUp =
                    ImpatientCleanUp.ofRows(new LockDatabase(killer, 8, StoreNode.QUERY_TIMEOUT), StoreNode.PREFIX);
            crew.hire("clean-up", dice -> {
                oracle.count("keys removed", cleanUp.getAsInt());
                dice.pause(5, 50);
            });
            crew.work(Duration.ofMillis(SECONDS * 150L));
            ledger.judge(keys.all(), List.of(ledger));
            report(server, isolation, oracle);
            nodes.forEach(RowLockNode::releaseWhatWasLeft);
            await("every connection is given back")
                    .untilAsserted(() -> assertThat(nodes)
                            .extracting(RowLockNode::connectionsInUse)
                            .containsOnly(0));
        } finally {
            nodes.forEach(RowLockNode::close);
        }
        assertThat(oracle.violations()).isEmpty();
        assertThat(oracle.counted(Oracle.WRITERS)).isPositive();
        assertThat(oracle.counted(Oracle.READERS)).isPositive();
        assertThat(oracle.counted("sessions killed")).isPositive();
        assertThat(oracle.counted("keys removed")).isPositive();
        assertThat(oracle.counted("changes committed")).isPositive();
    }

    private static void report(DatabaseServer server, String isolation, Oracle oracle) {
        StringBuilder text = new StringBuilder("%nStress of row locks, %s on %s %s, seed %d%n"
                .formatted(isolation, server.flavor().label(), server.version(), SEED));
        oracle.counts().forEach((what, count) -> text.append("%10d  %s%n".formatted(count.sum(), what)));
        oracle.violations().stream()
                .limit(5)
                .forEach(violation ->
                        text.append("            ").append(violation).append('\n'));
        RunReport.add(text.toString());
    }
}
