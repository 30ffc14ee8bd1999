package io.rowlock.benchmark.contender;

import io.rowlock.benchmark.server.Servers;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/** The tables of everybody but Rowlock. */
public final class PeerTables {
    private static final String SPRING_INTEGRATION = "org/springframework/integration/jdbc/schema-mysql.sql";
    private static final String SHEDLOCK = """
            CREATE TABLE shedlock (name VARCHAR(64) NOT NULL, lock_until TIMESTAMP(3) NOT NULL,
                locked_at TIMESTAMP(3) NOT NULL, locked_by VARCHAR(255) NOT NULL, PRIMARY KEY (name))""";
    private static final String RAW_ROW_LOCK = """
            CREATE TABLE benchmark_row (lock_key VARCHAR(255) NOT NULL PRIMARY KEY) ENGINE = InnoDB""";
    private static final String RAW_ROW_LOCK_PAST_BARRIER = """
            CREATE TABLE benchmark_barrier (lock_key VARBINARY(255) NOT NULL, slot TINYINT NOT NULL, gate TINYINT NOT NULL,
                PRIMARY KEY (lock_key, slot)) ENGINE = InnoDB""";

    private PeerTables() {}

    /**
     * Creates them as the peers' own documentation says, before any process needs them.
     *
     * @param servers where the database is
     * @throws SQLException if that fails
     */
    public static void createIn(Servers servers) throws SQLException {
        try (Connection connection = servers.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(SHEDLOCK);
            statement.execute(RAW_ROW_LOCK);
            statement.execute(RAW_ROW_LOCK_PAST_BARRIER);
            ScriptUtils.executeSqlScript(connection, new ClassPathResource(SPRING_INTEGRATION));
        }
    }
}
