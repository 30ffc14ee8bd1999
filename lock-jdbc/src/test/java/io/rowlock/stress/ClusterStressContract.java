package io.rowlock.stress;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rowlock.test.DatabaseServer;
import io.rowlock.test.TestCluster;
import io.rowlock.test.TestSchema;
import org.junit.jupiter.api.BeforeEach;

/** The same, each node on another server of a cluster. What judges works on the first. */
abstract class ClusterStressContract extends StressContract {
    private TestCluster cluster;

    @BeforeEach
    void spread(TestCluster servers) {
        cluster = servers;
    }

    @Override
    TestSchema schemaOf(int node, TestSchema schema) {
        return cluster.schemaAt(node);
    }

    @Override
    void uniqueKeysNeverLetTwoIn(String isolation, TestSchema schema, DatabaseServer server) {
        assumeTrue(false, "unique-key is refused where several servers take writes");
    }
}
