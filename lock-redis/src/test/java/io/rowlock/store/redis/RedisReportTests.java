package io.rowlock.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RedisReportTests {
    private static final String PLAIN =
            "# Server\r\nredis_version:7.0.15\r\n# Memory\r\nmaxmemory:0\r\nmaxmemory_policy:noeviction\r\naof_enabled:0\r\n";

    @Test
    void serverIsDescribed() {
        RedisReport report = RedisReport.of(List.of(PLAIN), "one server", true, 0);
        assertThat(report.description()).isEqualTo("Redis 7.0.15, one server, locks lost in a restart");
        assertThat(report.warnings()).isEmpty();
        assertThat(RedisReport.of(List.of(PLAIN + "aof_enabled:1\r\nvalkey_version:8.0.1\r\n"), "one server", true, 0)
                        .description())
                .isEqualTo("Valkey 8.0.1, one server, append-only file");
    }

    @Test
    void evictionIsWarnedOfWhereMemoryIsLimited() {
        String evicting = PLAIN.replace("noeviction", "volatile-ttl");
        assertThat(RedisReport.of(List.of(evicting), "one server", true, 0).warnings())
                .isEmpty();
        assertThat(RedisReport.of(List.of(evicting.replace("maxmemory:0", "maxmemory:1000")), "one server", true, 0)
                        .warnings())
                .singleElement()
                .asString()
                .contains("maxmemory-policy is volatile-ttl");
    }

    @Test
    void failOverIsWarnedOf() {
        assertThat(RedisReport.of(List.of(PLAIN), "a cluster of 3 masters", false, 0)
                        .warnings())
                .singleElement()
                .asString()
                .contains("after a fail-over two owners can hold a lock");
    }

    @Test
    void masterThatGoesOnWithoutItsReplicasIsWarnedOf() {
        String one = PLAIN + "connected_slaves:1\r\n";
        String stopping = one + "min_slaves_good_slaves:1\r\n";
        assertThat(RedisReport.of(List.of(stopping, one), "Sentinel", false, 0).warnings())
                .singleElement()
                .asString()
                .contains("reaches the new master", "min-replicas-to-write");
        for (String bounded : List.of(stopping, one + "cluster_enabled:1\r\n")) {
            assertThat(RedisReport.of(List.of(bounded), "Sentinel", false, 0).warnings())
                    .singleElement()
                    .asString()
                    .contains("until the first one's next renewal")
                    .doesNotContain("min-replicas-to-write");
        }
    }

    /** A replica of a server that is named alone may take its place, too. */
    @Test
    void replicaIsWarnedOfThoughNothingSaysHowItTakesOver() {
        String one = PLAIN + "# Replication\r\nconnected_slaves:1\r\n";
        assertThat(RedisReport.of(List.of(one), "one server", true, 0).warnings())
                .singleElement()
                .asString()
                .contains("after a fail-over two owners can hold a lock");
    }

    @Test
    void replicasThatAreMissingAreWarnedOf() {
        String one = PLAIN + "# Replication\r\nconnected_slaves:1\r\n";
        assertThat(RedisReport.of(List.of(one), "one server", true, 1).warnings())
                .hasSize(1);
        assertThat(RedisReport.of(List.of(one), "one server", true, 2).warnings())
                .hasSize(2)
                .last()
                .asString()
                .contains("rowlock.redis.min-replicas is 2, but the server has 1 connected");
    }

    @Test
    void weakestMasterCounts() {
        String one = PLAIN + "connected_slaves:1\r\n";
        String two = PLAIN.replace("noeviction", "volatile-ttl").replace("maxmemory:0", "maxmemory:1000")
                + "connected_slaves:2\r\n";
        assertThat(RedisReport.of(List.of(two, one), "a cluster of 2 masters", true, 2)
                        .warnings())
                .hasSize(3)
                .anySatisfy(warning -> assertThat(warning).contains("maxmemory-policy is volatile-ttl"))
                .anySatisfy(warning -> assertThat(warning)
                        .contains("whose key is on the master with the fewest replicas", "has 1 connected"));
        assertThat(RedisReport.of(List.of(one, two), "a cluster of 2 masters", true, 1)
                        .warnings())
                .hasSize(2);
    }
}
