package io.rowlock.store.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.test.OnEachServer;
import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

@OnEachServer
class ClusterTests {
    private static final String GROUP = "group_replication_group_name";
    private static final String ONE_PRIMARY = "group_replication_single_primary_mode";

    @Test
    void serverOfItsOwnPasses(DataSource dataSource) {
        LockDatabase database = new LockDatabase(dataSource, 8, Duration.ofSeconds(3));
        assertThat(ServerReport.of(database).cluster()).isEqualTo(Cluster.NONE);
        assertThat(Cluster.NONE.refusal()).isEmpty();
        assertThat(Cluster.SINGLE_PRIMARY.refusal()).isEmpty();
    }

    @Test
    void settingsShowTheCluster() {
        assertThat(Cluster.of(Map.of())).isEqualTo(Cluster.NONE);
        assertThat(Cluster.of(Map.of("wsrep_on", "ON", "wsrep_provider", "none")))
                .isEqualTo(Cluster.NONE);
        assertThat(Cluster.of(Map.of("wsrep_on", "OFF", "wsrep_provider", "lib.so")))
                .isEqualTo(Cluster.NONE);
        assertThat(Cluster.of(Map.of("wsrep_on", "ON", "wsrep_provider", "lib.so")))
                .isEqualTo(Cluster.GALERA);
        assertThat(Cluster.of(Map.of(GROUP, "", ONE_PRIMARY, "OFF"))).isEqualTo(Cluster.NONE);
        assertThat(Cluster.of(Map.of(GROUP, "a", ONE_PRIMARY, "ON"))).isEqualTo(Cluster.SINGLE_PRIMARY);
        assertThat(Cluster.of(Map.of(GROUP, "a", ONE_PRIMARY, "OFF"))).isEqualTo(Cluster.MULTI_PRIMARY);
    }

    @Test
    void reasonNamesWhatIsKnownOfGalera() {
        assertThat(Cluster.GALERA.refusal())
                .hasValueSatisfying(why -> assertThat(why).contains("a Galera cluster", "loses updates", "Jepsen"));
        assertThat(Cluster.MULTI_PRIMARY.refusal())
                .hasValueSatisfying(
                        why -> assertThat(why).contains("a multi-primary group").doesNotContain("Galera"));
    }
}
