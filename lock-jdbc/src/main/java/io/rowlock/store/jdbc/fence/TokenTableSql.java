package io.rowlock.store.jdbc.fence;

/** The statements on a table that has a row with a token for each key. */
abstract class TokenTableSql {
    final String table;

    TokenTableSql(String table) {
        this.table = table;
    }
}
