package io.rowlock.testkit;

import io.rowlock.LockClient;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.ReadLock;
import java.util.function.Supplier;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What a user of the library wrote and wants to test. */
class Orders {
    private final LockClient locks;

    Orders(LockClient locks) {
        this.locks = locks;
    }

    @DistributedLock(name = "order", key = "#id", waitTime = "0s")
    public <T> T pay(long id, Supplier<T> payment) {
        return payment.get();
    }

    @ReadLock(name = "order", key = "#id", waitTime = "0s", strategy = "row-lock")
    public String look(long id) {
        return "order " + id;
    }

    LockClient locks() {
        return locks;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
                "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration",
                "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration",
                "org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration"
            })
    static class Application {
        @Bean
        Orders orders(LockClient locks) {
            return new Orders(locks);
        }
    }
}
