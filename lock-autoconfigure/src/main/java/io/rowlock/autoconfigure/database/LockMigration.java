package io.rowlock.autoconfigure.database;

import java.util.List;

/**
 * A script of the lock tables, as Flyway notes it in its history. Known before Flyway is started, which is then needed only if the
 * history says anything else.
 *
 * @param version its version
 * @param script the name of its file
 * @param checksum the checksum that Flyway works out from the file
 */
record LockMigration(String version, String script, int checksum) {
    /** All of this release, the first one first. */
    static final List<LockMigration> ALL = List.of(new LockMigration("1", "V1__lock_tables.sql", -1929073232));
}
