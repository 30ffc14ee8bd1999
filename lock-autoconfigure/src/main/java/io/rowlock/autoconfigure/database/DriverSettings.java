package io.rowlock.autoconfigure.database;

import io.rowlock.autoconfigure.RowlockProperties;
import java.util.LinkedHashMap;
import java.util.Map;

/** The settings of the drivers. The names are the same in Connector/J and in MariaDB's driver, except for a few. */
final class DriverSettings {
    private DriverSettings() {}

    static Map<String, String> of(JdbcUrl url, RowlockProperties.Pool pool) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("useServerPrepStmts", "true");
        settings.put("cachePrepStmts", "true");
        settings.put("prepStmtCacheSize", "250");
        // MariaDB's driver gives up server-prepared statements for rewritten batches
        settings.put("rewriteBatchedStatements", "false");
        // Row counts are matched rows: with affected rows, 0 would also mean "unchanged"
        settings.put("useAffectedRows", "false");
        // MariaDB's driver would go on after a lost connection with what it has read before, as if it still had its row
        // locks
        settings.put("transactionReplay", "false");
        settings.put("tcpKeepAlive", "true");
        settings.put("connectTimeout", Long.toString(pool.connectionTimeout().toMillis()));
        settings.put("socketTimeout", Long.toString(pool.queryTimeout().toMillis()));
        // Also behind a driver that wraps others, and passes their settings on
        if (url.value().contains(":mysql:")) {
            // A renewal of many leases is one long statement
            settings.put("prepStmtCacheSqlLimit", "16384");
            settings.put("autoReconnect", "false");
            settings.put("autoReconnectForPools", "false");
            // Keys are the same text for all users of the tables, whatever the application's own connections speak.
            // MariaDB's driver speaks nothing else
            settings.put("characterEncoding", "UTF-8");
            settings.put("characterSetResults", "UTF-8");
            settings.put("connectionCollation", "utf8mb4_bin");
            // A statement that cannot be prepared must fail: sent as text instead, it would run in a new transaction
            // if another server of a cluster had rolled this one back
            settings.put("emulateUnsupportedPstmts", "false");
        }
        return settings;
    }
}
