package io.rowlock.store.jdbc.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.store.jdbc.LockDatabase;
import io.rowlock.test.DatabaseServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.TestSchema;
import java.util.Map;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationVersion;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/** Tables of the first version, with rows in them, become those of the newest. */
@OnEachServer(dependsOnServer = true)
class MigrationTests {

    private static Flyway to(TestSchema schema, MigrationVersion version) {
        return Flyway.configure()
                .dataSource(schema.dataSource())
                .locations("classpath:db/rowlock/mysql")
                .placeholders(Map.of("prefix", "rowlock_"))
                .target(version)
                .load();
    }

    @Test
    void rowsOfTheFirstVersionAreKeptAndNewOnesFit(DatabaseServer server) {
        try (TestSchema schema = server.createSchema()) {
            to(schema, MigrationVersion.fromVersion("1")).migrate();
            JdbcTemplate jdbc = new JdbcTemplate(schema.dataSource());
            jdbc.update("INSERT INTO rowlock_lock VALUES ('old', 0, 0, 'alice', 7,"
                    + " UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) + INTERVAL 1 HOUR)");
            String oldNodesRow = "INSERT INTO rowlock_lock_log"
                    + " (lock_key, mode, owner, fence, status, acquired_at, waited_micros)"
                    + " VALUES ('old', 'EXCLUSIVE', 'alice', 7, 'HELD', UTC_TIMESTAMP(6), 0)";
            jdbc.update(oldNodesRow);

            to(schema, MigrationVersion.LATEST).migrate();

            jdbc.update(oldNodesRow); // written by a node that is not upgraded yet
            assertThat(jdbc.queryForList("SELECT strategy FROM rowlock_lock_log", String.class))
                    .containsExactly("lease", "lease");
            assertThat(jdbc.queryForList(
                            "SELECT CONCAT_WS(' ', strategy, lock_key, owner, fence) FROM rowlock_locks_held",
                            String.class))
                    .containsExactly("lease old alice 7");
            LockDatabase database = new LockDatabase(schema.dataSource(), LeaseTable.QUERY_TIMEOUT, true);
            UniqueKeyStore store = new UniqueKeyStore(database, LeaseTable.PREFIX);
            assertThat(UniqueKeyTable.acquire(store, "new").fence()).isGreaterThan(UniqueKeySql.LEAST_TOKEN);
            assertThat(jdbc.queryForList("SELECT lock_key FROM rowlock_unique_key", String.class))
                    .containsExactly("new");
        }
    }
}
