package io.rowlock.store.jdbc.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.TestSchema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/** What the script leaves behind besides tables that are empty. */
@OnEachServer(dependsOnServer = true)
class MigrationTests {
    private TestSchema schema;
    private JdbcTemplate jdbc;

    @BeforeEach
    void migrate(DatabaseServer server) {
        schema = server.createSchema().migrate();
        jdbc = new JdbcTemplate(schema.dataSource());
    }

    @AfterEach
    void drop() {
        schema.close();
    }

    @Test
    void viewNeedsTheRightsOfItsReader() {
        assertThat(jdbc.queryForList(
                        "SELECT security_type FROM information_schema.views WHERE table_schema = DATABASE()",
                        String.class))
                .containsExactly("INVOKER");
    }

    @Test
    void counterOfUniqueKeysStartsAtTheServersTime() {
        UniqueKeyStore store = new UniqueKeyStore(
                new LockDatabase(schema.dataSource(), 8, LeaseTable.QUERY_TIMEOUT), LeaseTable.PREFIX, null);
        assertThat(UniqueKeyTable.acquire(store, "new").fence()).isGreaterThan(UniqueKeySql.LEAST_TOKEN);
        assertThat(jdbc.queryForList("SELECT lock_key FROM rowlock_unique_key", String.class))
                .containsExactly("new");
    }

    @Test
    void floorOfLeasesIsNoLock() {
        assertThat(jdbc.queryForList("SELECT fence FROM rowlock_lock WHERE lock_key = ''", Long.class))
                .containsExactly(0L);
        assertThat(jdbc.queryForList("SELECT * FROM rowlock_locks_held")).isEmpty();
    }
}
