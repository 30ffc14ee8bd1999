package io.rowlock.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The database that a transaction is on, as far as its connection tells without a statement.
 *
 * @param product the kind of server
 * @param catalog the schema, if there is one
 */
public record TransactionPlace(String product, @Nullable String catalog) {
    static TransactionPlace of(Connection connection) throws SQLException {
        return new TransactionPlace(
                String.valueOf(connection.getMetaData().getDatabaseProductName()), connection.getCatalog());
    }

    /** Whether it may be asked for lock tables: other servers end a transaction over a statement that they do not know. */
    boolean isMysql() {
        return product.contains("MySQL") || product.contains("MariaDB");
    }

    @Override
    public String toString() {
        return catalog == null ? product : "schema " + catalog + " of a " + product + " server";
    }
}
