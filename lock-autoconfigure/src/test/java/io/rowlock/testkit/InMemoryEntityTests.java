package io.rowlock.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.StaleReadException;
import io.rowlock.test.OnServer;
import io.rowlock.test.RowlockTest;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.boot.jdbc.test.autoconfigure.AutoConfigureTestDatabase;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** Data on a real database that was read before a lock in memory was acquired. */
@RowlockTest
@OnServer
@DataJpaTest(
        properties = {
            "spring.jpa.hibernate.ddl-auto=create",
            "spring.jpa.properties.hibernate.dialect=org.hibernate.dialect.MySQLDialect",
            "spring.flyway.enabled=false",
            "spring.liquibase.enabled=false"
        })
@AutoConfigureTestDatabase(replace = AutoConfigureTestDatabase.Replace.NONE)
@Transactional(propagation = Propagation.NOT_SUPPORTED)
class InMemoryEntityTests {
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    /** An entity without a version. */
    @Entity(name = "stock")
    static class Stock {
        @Id
        private Integer id;

        private int rest;

        int sell() {
            return --rest;
        }
    }

    @Autowired
    LockClient locks;

    @Autowired
    EntityManager entities;

    @Autowired
    JdbcTemplate jdbc;

    private TransactionTemplate transaction;

    @BeforeEach
    void fill(@Autowired PlatformTransactionManager manager) {
        transaction = new TransactionTemplate(manager);
        jdbc.update("REPLACE INTO stock (id, rest) VALUES (1, 20)");
    }

    @Test
    void entityThatWasLoadedBeforeTheLockIsRefused() {
        assertThatExceptionOfType(StaleReadException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                    Stock early = entities.find(Stock.class, 1);
                    locked(early::sell);
                }))
                .withMessageContaining("Stock#1 was loaded before its thread acquired the lock \"stock:1\"");
        assertThat(rest()).isEqualTo(20);
    }

    @Test
    void entityThatIsLoadedUnderTheLockPasses() {
        transaction.executeWithoutResult(
                status -> locked(() -> entities.find(Stock.class, 1).sell()));
        assertThat(rest()).isEqualTo(19);
    }

    /** The mark of a grant is a row in the database that keeps the lock: memory has none. */
    @Test
    void snapshotThatIsOlderThanTheLockPasses() {
        transaction.executeWithoutResult(status -> {
            int early = rest();
            locked(() -> jdbc.update("UPDATE stock SET rest = ?", early - 1));
        });
        assertThat(rest()).isEqualTo(19);
    }

    private void locked(Runnable body) {
        try (HeldLock lock = locks.acquire(LockRequest.exclusive("stock:1"))) {
            assertThat(lock.isHeld()).isTrue();
            body.run();
        }
    }

    private int rest() {
        return jdbc.queryForObject("SELECT rest FROM stock", Integer.class);
    }
}
