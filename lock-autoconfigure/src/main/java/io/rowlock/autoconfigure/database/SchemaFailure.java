package io.rowlock.autoconfigure.database;

import io.rowlock.autoconfigure.diagnostics.DriverError;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import io.rowlock.store.jdbc.session.ServerVersion;
import io.rowlock.store.jdbc.session.SqlFailure;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.springframework.util.StringUtils;

/** Says why the lock tables cannot be used and what to do about it. */
final class SchemaFailure {
    static final String LATER = " To start while the database is down, set rowlock.schema.initialize to never.";

    private SchemaFailure() {}

    /** @param timeout how long opening the first connection may take */
    static RowlockSetupException of(Exception failure, TablePrefix prefix, Duration timeout) {
        SQLException error = DriverError.of(failure);
        Optional<RowlockSetupException> connecting =
                Optional.ofNullable(error).flatMap(each -> ConnectFailure.explain(each, timeout));
        if (connecting.isPresent()) {
            return connecting.get();
        }
        if (error != null && SqlFailure.of(error) == SqlFailure.NO_RIGHTS) {
            return new RowlockSetupException(
                    "Rowlock's tables (%s*) cannot be created or read: %s"
                            .formatted(prefix.value(), error.getMessage()),
                    "Grant the user what is missing (Rowlock's migrations need SELECT, INSERT, UPDATE, DELETE, CREATE, "
                            + "ALTER, DROP, INDEX, CREATE VIEW on the schema), or " + byHand(prefix),
                    failure);
        }
        if (error != null && SqlFailure.of(error) == SqlFailure.READ_ONLY) {
            return new RowlockSetupException(
                    "Rowlock's tables (%s*) cannot be created, because the server is read-only: %s"
                            .formatted(prefix.value(), error.getMessage()),
                    "Point the DataSource, or rowlock.datasource.url, at the server that accepts writes. "
                            + "Locks cannot be acquired on a replica.",
                    failure);
        }
        return new RowlockSetupException(
                "Rowlock's tables (%s*) are not as they should be: %s".formatted(prefix.value(), failure.getMessage()),
                "Repair what is named above and start again, or " + byHand(prefix),
                failure);
    }

    static RowlockSetupException unfit(ServerVersion version, String why) {
        return new RowlockSetupException(
                "Locks cannot be kept in %s: %s.".formatted(version, why),
                "Upgrade the server if it is too old, or keep locks in another one. " + LockPool.WAYS_OUT);
    }

    static RowlockSetupException missing(TablePrefix prefix, String first) {
        return new RowlockSetupException(
                "Rowlock's tables (%s*) do not exist, or are of an older version.".formatted(prefix.value()),
                StringUtils.capitalize(first + byHand(prefix)
                        + " To have Rowlock create them, rowlock.schema.initialize must be always."));
    }

    /** Tables that were never part of a release have no way to those that are. */
    static RowlockSetupException ofSnapshot(TablePrefix prefix) {
        return new RowlockSetupException(
                "Rowlock's tables (%s*) are those of a snapshot from before the first release, which cannot be upgraded."
                        .formatted(prefix.value()),
                ("Stop all nodes that use them and drop them, together with their history table: "
                                + "DROP VIEW IF EXISTS %1$slocks_held; "
                                + "DROP TABLE IF EXISTS %1$slock, %1$slock_log, %1$sunique_key, %1$sunique_key_stripe, "
                                + "%1$srow, %1$sfence, %1$stoken, %1$sschema_history; then start again with "
                                + "rowlock.schema.initialize=always, or run the script of db/rowlock/mysql from rowlock-jdbc's jar. "
                                + "Only locks that are held now and the lock log are lost.")
                        .formatted(prefix.value()));
    }

    private static String byHand(TablePrefix prefix) {
        return ("have a user with these rights run the scripts of db/rowlock/mysql from rowlock-jdbc's jar, the first "
                        + "being V1__lock_tables.sql, with \"%s\" in place of ${prefix}, and set "
                        + "rowlock.schema.initialize to validate or never.")
                .formatted(prefix.value());
    }
}
