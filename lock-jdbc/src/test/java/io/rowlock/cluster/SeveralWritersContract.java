package io.rowlock.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.store.jdbc.session.Cluster;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.ServerReport;
import io.rowlock.test.TestCluster;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A cluster whose servers all take writes, asked at each of them. */
abstract class SeveralWritersContract {
    private final Cluster expected;

    SeveralWritersContract(Cluster expected) {
        this.expected = expected;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void everyServerIsRefused(int server, TestCluster cluster) {
        LockDatabase database = new LockDatabase(cluster.schemaAt(server).dataSource(), 8, Duration.ofSeconds(3));
        assertThat(ServerReport.of(database).cluster()).isEqualTo(expected);
        assertThat(expected.refusal())
                .hasValueSatisfying(
                        why -> assertThat(why).contains(expected.toString(), "two nodes could hold one lock"));
    }
}
