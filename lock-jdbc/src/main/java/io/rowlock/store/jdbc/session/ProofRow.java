package io.rowlock.store.jdbc.session;

import io.rowlock.store.jdbc.session.TablePrefix.Table;
import java.util.UUID;

/**
 * A row of the lock table of its owner alone. It looks like an idle gate, so that the clean-up removes it if its owner cannot.
 *
 * @param table the lock table
 * @param key a key that no other start has
 */
record ProofRow(String table, String key) {
    static ProofRow in(TablePrefix prefix) {
        return new ProofRow(prefix.of(Table.LOCK), "rowlock:proof:" + UUID.randomUUID());
    }

    String insert() {
        return """
                INSERT INTO %s (lock_key, slot, owner, fence, acquired_at, expires_at)
                VALUES ('%s', 0, '', 0, %s, %s)""".formatted(table, key, JdbcText.NOW, JdbcText.NOW);
    }

    String delete() {
        return "DELETE FROM %s WHERE lock_key = '%s' AND slot = 0".formatted(table, key);
    }

    String select(String clause) {
        return "SELECT slot FROM %s WHERE lock_key = '%s' AND slot = 0 %s".formatted(table, key, clause);
    }
}
