package io.rowlock.store.jdbc.session;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A business transaction in which leases are checked. */
public interface CheckedTransaction {
    /** Runs work within the transaction. */
    <T> T call(TransactionConnection.Work<T> work);

    /** Returns this transaction whichever is current later; itself if its connection is not known. */
    CheckedTransaction pinned();

    /** Returns true if it is {@linkplain #pinned pinned}, and row locks of its connection can still last. */
    boolean isOpen();

    /** Returns the database it is on, or null if its connection is not known. */
    @Nullable
    Place place();

    /**
     * The database that a transaction is on, as far as its connection tells without a statement.
     *
     * @param product the kind of server
     * @param catalog the schema, if there is one
     * @param url where its driver connects to; never shown, as it may hold a password
     */
    record Place(
            String product,
            @Nullable String catalog,
            @Nullable String url) {
        static Place of(Connection connection) throws SQLException {
            DatabaseMetaData server = connection.getMetaData();
            return new Place(String.valueOf(server.getDatabaseProductName()), connection.getCatalog(), server.getURL());
        }

        /** @return false if it must not be asked for lock tables: other servers end a transaction over a statement that they do not know. */
        boolean isMysql() {
            return product.contains("MySQL") || product.contains("MariaDB");
        }

        @Override
        public String toString() {
            return catalog == null ? product : "schema " + catalog + " of a " + product + " server";
        }
    }
}
