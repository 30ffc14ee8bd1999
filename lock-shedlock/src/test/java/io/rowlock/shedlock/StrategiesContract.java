package io.rowlock.shedlock;

import java.util.Map;
import org.springframework.jdbc.core.JdbcTemplate;

/** The strategies that have their locks in the database. */
abstract class StrategiesContract extends LockProviderContract {
    private final String strategy;

    StrategiesContract(String strategy) {
        this.strategy = strategy;
    }

    @Override
    Node start() {
        return Node.start(schema, Map.of("rowlock.strategy", strategy, "rowlock.redis.enabled", false), this::expire);
    }

    private void expire(String name) {
        JdbcTemplate jdbc = new JdbcTemplate(schema.dataSource());
        switch (strategy) {
            case "lease" -> jdbc.update("UPDATE rowlock_lock SET expires_at = '2000-01-01' WHERE lock_key = ?", name);
            case "unique-key" ->
                jdbc.update("UPDATE rowlock_unique_key SET expires_at = '2000-01-01' WHERE lock_key = ?", name);
            default ->
                jdbc.queryForList(
                                "SELECT p.id FROM information_schema.innodb_trx t JOIN information_schema.processlist p"
                                        + " ON p.id = t.trx_mysql_thread_id WHERE p.db = DATABASE()",
                                Long.class)
                        .forEach(session -> jdbc.execute("KILL " + session));
        }
    }
}
