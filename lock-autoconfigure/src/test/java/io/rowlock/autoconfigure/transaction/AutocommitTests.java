package io.rowlock.autoconfigure.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.ServerFlavor;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactions of JPA whose connection is in autocommit mode, so that the commit that is checked has nothing to commit. */
@OnServer(ServerFlavor.MYSQL)
class AutocommitTests {
    @RegisterExtension
    private static final FreshSchema schema = new FreshSchema();

    @Test
    void commitIsRefusedIfEachStatementCommitsByItself() {
        schema.jdbc().execute("CREATE TABLE account (id INT PRIMARY KEY, amount INT NOT NULL)");
        schema.jdbc().update("INSERT INTO account VALUES (1, 0)");
        write(false);
        assertThat(amount()).isOne();
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> write(true))
                .withMessageContaining("autocommit mode")
                .withMessageContaining("provider_disables_autocommit");
        assertThat(amount()).isOne();
    }

    private static int amount() {
        return schema.jdbc().queryForObject("SELECT amount FROM account", Integer.class);
    }

    private static void write(boolean committedByItself) {
        TestApplication application = new TestApplication(schema, EarlyEntityTests.Entities.class)
                .withJpa()
                .with("spring.datasource.url", schema.schema().jdbcUrl().replace("jdbc:mysql:", "jdbc:mariadb:"))
                .with("spring.jpa.properties.hibernate.connection.provider_disables_autocommit", committedByItself);
        try (ConfigurableApplicationContext node = application.start()) {
            EntityManager entities =
                    SharedEntityManagerCreator.createSharedEntityManager(node.getBean(EntityManagerFactory.class));
            new TransactionTemplate(node.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
                try (HeldLock lock = node.getBean(LockClient.class).acquire(LockRequest.exclusive("a"))) {
                    entities.find(Account.class, 1).add();
                }
            });
        }
    }
}
