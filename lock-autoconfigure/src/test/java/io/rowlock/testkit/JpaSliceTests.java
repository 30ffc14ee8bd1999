package io.rowlock.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockMode;
import io.rowlock.test.LockControl;
import io.rowlock.test.LockRecorder;
import io.rowlock.test.RowlockTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.boot.jdbc.test.autoconfigure.AutoConfigureTestDatabase;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** A slice has the auto-configurations alone that it names; the annotation adds those of locks. Nothing connects to the database. */
@RowlockTest
@DataJpaTest(
        properties = {
            "spring.datasource.url=jdbc:mysql://127.0.0.1:1/none",
            "spring.jpa.hibernate.ddl-auto=none",
            "spring.jpa.properties.hibernate.boot.allow_jdbc_metadata_access=false",
            "spring.jpa.properties.hibernate.dialect=org.hibernate.dialect.MySQLDialect",
            "spring.flyway.enabled=false",
            "spring.liquibase.enabled=false"
        })
@AutoConfigureTestDatabase(replace = AutoConfigureTestDatabase.Replace.NONE)
@Transactional(propagation = Propagation.NOT_SUPPORTED)
class JpaSliceTests {
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Orders.class)
    static class Application {}

    @Autowired
    Orders orders;

    @Autowired
    LockControl control;

    @Autowired
    LockRecorder recorder;

    @Test
    void annotatedMethodsOfASliceRunUnderTheirLocks() throws Exception {
        recorder.assertLocks(
                "order:7",
                () -> assertThat(orders.pay(7, () -> control.isHeldByApplication("order:7", LockMode.EXCLUSIVE)))
                        .isTrue());
    }
}
