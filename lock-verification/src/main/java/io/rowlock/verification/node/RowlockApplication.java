package io.rowlock.verification.node;

import java.util.List;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

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

    static ConfigurableApplicationContext start(Arguments arguments) {
        List<String> properties = List.of(
                "spring.main.banner-mode=off",
                "spring.main.register-shutdown-hook=false",
                "spring.application.name=node-" + arguments.number(),
                "spring.datasource.url=" + arguments.database(),
                "spring.datasource.hikari.maximum-pool-size=" + arguments.threads(),
                "spring.datasource.hikari.connection-timeout=2000",
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
                "rowlock.pool.connection-timeout=1s",
                "rowlock.pool.query-timeout=1s",
                "rowlock.redis.command-timeout=1s",
                "rowlock.cleanup.interval=2s",
                "rowlock.leader.roles.judge.ttl=2s",
                "rowlock.leader.roles.judge.interval=300ms");
        return new SpringApplicationBuilder(RowlockApplication.class)
                .web(WebApplicationType.NONE)
                .properties(properties.toArray(String[]::new))
                .run();
    }
}
