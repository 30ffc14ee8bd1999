package io.rowlock.verification.node;

import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import io.rowlock.LockListener;
import io.rowlock.verification.fault.Redis;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
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

    private static List<String> redis(String address) {
        int colon = address.indexOf(':');
        String rest = address.substring(colon + 1);
        return switch (address.substring(0, colon)) {
            case "sentinel" ->
                List.of("spring.data.redis.sentinel.master=" + Redis.NAME, "spring.data.redis.sentinel.nodes=" + rest);
            case "cluster" -> List.of("spring.data.redis.cluster.nodes=" + rest);
            default -> List.of("spring.data.redis.url=" + address);
        };
    }

    static ConfigurableApplicationContext start(Arguments arguments, LockListener listener) {
        String timeout = Node.TIMEOUT.toMillis() + "ms";
        List<String> properties = new ArrayList<>(redis(arguments.redis()));
        properties.addAll(List.of(
                "spring.main.banner-mode=off",
                "spring.main.register-shutdown-hook=false",
                "spring.application.name=node-" + arguments.number(),
                "spring.datasource.url=" + arguments.database(),
                "spring.datasource.hikari.maximum-pool-size=" + arguments.threads(),
                "spring.datasource.hikari.connection-timeout=" + Node.POOL_TIMEOUT.toMillis(),
                "spring.datasource.hikari.initialization-fail-timeout=60000",
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
                "rowlock.leader.roles.judge.interval=300ms"));
        // Sentinel and a cluster tell where a server listens; its network is between
        ClientResourcesBuilderCustomizer routes = resources -> resources.socketAddressResolver(
                MappingSocketAddressResolver.create((HostAndPort address) -> HostAndPort.of(
                        address.getHostText(), arguments.routes().getOrDefault(address.getPort(), address.getPort()))));
        return new SpringApplicationBuilder(RowlockApplication.class)
                .initializers((GenericApplicationContext context) -> {
                    context.registerBean(LockListener.class, () -> listener);
                    context.registerBean(ClientResourcesBuilderCustomizer.class, () -> routes);
                })
                .web(WebApplicationType.NONE)
                .properties(properties.toArray(String[]::new))
                .run();
    }
}
