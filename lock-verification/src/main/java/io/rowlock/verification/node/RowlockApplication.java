package io.rowlock.verification.node;

import io.rowlock.LockListener;
import java.util.List;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

/** An application that the starter configures. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration(
        excludeName = { // of a peer
            "com.baomidou.lock.spring.boot.autoconfigure.LockAutoConfiguration",
            "com.baomidou.lock.spring.boot.autoconfigure.RedissonLockAutoConfiguration"
        })
@EntityScan(basePackageClasses = Counter.class)
class RowlockApplication {
    @Bean
    Work work() {
        return new Work();
    }

    static ConfigurableApplicationContext start(Arguments arguments, LockListener listener) {
        String timeout = Node.TIMEOUT.toMillis() + "ms";
        List<String> properties = List.of(
                "spring.main.banner-mode=off",
                "spring.main.register-shutdown-hook=false",
                "spring.application.name=node-" + arguments.number(),
                "spring.datasource.url=" + arguments.database(),
                "spring.datasource.hikari.maximum-pool-size=" + arguments.threads(),
                "spring.datasource.hikari.connection-timeout=" + Node.POOL_TIMEOUT.toMillis(),
                "spring.datasource.hikari.initialization-fail-timeout=60000",
                "spring.data.redis.url=" + arguments.redis(),
                "spring.jpa.open-in-view=false",
                "spring.jpa.database-platform=org.hibernate.dialect.MySQLDialect",
                "spring.jpa.properties.hibernate.boot.allow_jdbc_metadata_access=false",
                "logging.level.root=ERROR",
                "rowlock.strategy=lease",
                "rowlock.ttl=" + Node.TTL.toMillis() + "ms",
                "rowlock.wait-time=" + Node.WAIT.toMillis() + "ms",
                "rowlock.pool.size=" + (arguments.threads() + arguments.quick() + 2),
                "rowlock.pool.connection-timeout=" + timeout,
                "rowlock.pool.query-timeout=" + timeout,
                "rowlock.redis.command-timeout=" + timeout,
                "rowlock.cleanup.interval=2s",
                "rowlock.leader.roles.judge.ttl=2s",
                "rowlock.leader.roles.judge.interval=300ms");
        return new SpringApplicationBuilder(RowlockApplication.class)
                .initializers(
                        (GenericApplicationContext context) -> context.registerBean(LockListener.class, () -> listener))
                .web(WebApplicationType.NONE)
                .properties(properties.toArray(String[]::new))
                .run();
    }
}
