package io.rowlock.store.jdbc.rowlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The server stops to take writes, as the primary of a group does when an operator has chosen another one. Its sessions live on. */
@Isolated
@OnEachServer(dependsOnServer = true)
class ReplacedPrimaryTests {
    @Test
    void lockOfAServerThatTakesNoWritesIsLost(TestSchema schema) {
        try (RowLockTable table = new RowLockTable(schema)) {
            RowLockStore store = table.store(2, true);
            Lease kept = taken(store, "kept");
            for (String setting : settings(table)) {
                Lease lost = taken(store, setting);
                assertThat(store.renew(List.of(kept), RowLockTable.TTL)).containsEntry(kept, Renewal.RENEWED);
                table.jdbc().execute("SET GLOBAL " + setting + " = ON");
                try {
                    assertThat(store.renew(List.of(lost), RowLockTable.TTL)).containsEntry(lost, Renewal.LOST);
                } finally {
                    table.jdbc().execute("SET GLOBAL read_only = OFF"); // with it goes super_read_only
                }
                assertThat(store.renew(List.of(kept), RowLockTable.TTL)).containsEntry(kept, Renewal.RENEWED);
            }
        }
    }

    /** MariaDB has one of them, and those who switch a primary of MySQL over may set one alone. */
    private static List<String> settings(RowLockTable table) {
        return table.jdbc()
                .query(
                        "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('read_only', 'super_read_only')",
                        (row, number) -> row.getString(1));
    }

    private static Lease taken(RowLockStore store, String key) {
        Attempt attempt = store.tryAcquire(RowLockTable.request(key, LockMode.EXCLUSIVE, RowLockTable.TTL));
        return ((Attempt.Taken) attempt).lease();
    }
}
