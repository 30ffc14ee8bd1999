package io.rowlock.autoconfigure.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.LockClient;
import io.rowlock.LockLostException;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.OtherNode;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.DatabaseServer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.Transactional;

/** Transactions on a database that does not keep the locks: there, only what this node knows can refuse a commit. */
@ExtendWith(OutputCaptureExtension.class)
@OnEachServer
class SecondDatabaseTests {
    private static FreshSchema schema;
    private static FreshSchema audits;
    private static OtherNode other;
    private static ConfigurableApplicationContext node;

    @BeforeServer
    static void start(DatabaseServer server) {
        schema = FreshSchema.on(server);
        audits = FreshSchema.on(server);
        audits.jdbc().execute("CREATE TABLE audit (id INT PRIMARY KEY)");
        other = OtherNode.on(schema);
        node = new TestApplication(schema, AuditConfiguration.class, Audit.class)
                .with("audit.url", audits.schema().jdbcUrl())
                .with("audit.username", audits.schema().username())
                .with("audit.password", audits.schema().password())
                .start();
    }

    @AfterServer
    static void stop() {
        if (node != null) {
            node.close();
            other.close();
            schema.close();
            audits.close();
        }
    }

    @Test
    void lossThatWasNotNoticedStoresAndIsWarnedOfOnce(CapturedOutput output) {
        audit().record(1, () -> other.takeOver("audit").close());
        assertThat(recorded(1)).isOne();
        audit().record(3, () -> {});
        assertThat(output.getAll().lines().filter(line -> line.contains("under a lock is on another database")))
                .singleElement()
                .asString()
                .contains(" WARN ", "auditTransactionManager", audits.schema().name());
    }

    @Test
    void knownLossRefusesTheCommit() {
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> audit().record(2, () -> {
                    other.age("audit");
                    LockClient locks = node.getBean(LockClient.class);
                    await().pollInSameThread().until(() -> !locks.isHeldByCurrentThread("audit"));
                }));
        assertThat(recorded(2)).isZero();
    }

    private static Audit audit() {
        return node.getBean(Audit.class);
    }

    private static int recorded(int id) {
        return audits.jdbc().queryForObject("SELECT COUNT(*) FROM audit WHERE id = ?", Integer.class, id);
    }

    @Configuration(proxyBeanMethods = false)
    static class AuditConfiguration {
        @Bean(defaultCandidate = false)
        HikariDataSource auditDataSource(
                @Value("${audit.url}") String url,
                @Value("${audit.username}") String username,
                @Value("${audit.password}") String password) {
            HikariDataSource dataSource = new HikariDataSource();
            dataSource.setJdbcUrl(url);
            dataSource.setUsername(username);
            dataSource.setPassword(password);
            dataSource.setMaximumPoolSize(2);
            return dataSource;
        }

        @Bean(defaultCandidate = false)
        JdbcTransactionManager auditTransactionManager(@Qualifier("auditDataSource") DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    static class Audit {
        private final JdbcTemplate jdbc;

        Audit(@Qualifier("auditDataSource") DataSource dataSource) {
            jdbc = new JdbcTemplate(dataSource);
        }

        @DistributedLock(name = "audit", ttl = "15s")
        @Transactional("auditTransactionManager")
        public void record(int id, Runnable during) {
            jdbc.update("INSERT INTO audit VALUES (?)", id);
            during.run();
        }
    }
}
