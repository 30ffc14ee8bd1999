package io.rowlock.verification.node;

import com.baomidou.lock.LockInfo;
import com.baomidou.lock.LockTemplate;
import com.baomidou.lock.executor.RedissonLockExecutor;
import com.baomidou.lock.spring.boot.autoconfigure.Lock4jProperties;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import javax.sql.DataSource;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Another library's lock, with its server's time and with renewal where it has them, and the ttl that Rowlock has here. */
interface Peer {
    /** Returned by a call that did not get the lock in time. */
    Runnable BUSY = () -> {};

    /** @return how to release it */
    Runnable lock(String key, Duration wait) throws InterruptedException;

    static Peer of(String name, DataSource database, String redis) {
        return switch (name) {
            case "shedlock" -> shedlock(database);
            case "spring-integration-jdbc" -> springIntegration(database);
            case "spring-integration-redis" -> springIntegration(redis);
            case "redisson" -> redisson(redis, client -> client::getLock);
            case "redisson-fenced" -> redisson(redis, client -> client::getFencedLock);
            case "lock4j" -> lock4j(redis);
            default -> throw new IllegalArgumentException(name);
        };
    }

    /** ShedLock does not wait: here it tries again every 100 ms. Its keep-alive needs 30 s at least, and is left out. */
    private static Peer shedlock(DataSource database) {
        JdbcTemplateLockProvider provider =
                new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                        .withJdbcTemplate(new JdbcTemplate(database))
                        .usingDbTime()
                        .build());
        return (key, wait) -> {
            long end = System.nanoTime() + wait.toNanos();
            while (true) {
                Optional<SimpleLock> lock =
                        provider.lock(new LockConfiguration(Instant.now(), key, Node.TTL, Duration.ZERO));
                if (lock.isPresent()) {
                    return lock.get()::unlock;
                }
                if (System.nanoTime() - end > 0) {
                    return BUSY;
                }
                Thread.sleep(100);
            }
        };
    }

    private static Peer springIntegration(DataSource database) {
        DefaultLockRepository repository = new DefaultLockRepository(database);
        repository.setTransactionManager(new JdbcTransactionManager(database));
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        JdbcLockRegistry registry = new JdbcLockRegistry(repository, Node.TTL);
        registry.setRenewalTaskScheduler(scheduler());
        return of(registry::obtain);
    }

    private static Peer springIntegration(String redis) {
        java.net.URI uri = java.net.URI.create(redis);
        LettuceConnectionFactory connections = new LettuceConnectionFactory(uri.getHost(), uri.getPort());
        connections.afterPropertiesSet();
        connections.start();
        RedisLockRegistry registry = new RedisLockRegistry(connections, "peers", Node.TTL.toMillis());
        registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
        registry.setRenewalTaskScheduler(scheduler());
        return of(registry::obtain);
    }

    private static ThreadPoolTaskScheduler scheduler() {
        ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
        scheduler.setDaemon(true);
        scheduler.initialize();
        return scheduler;
    }

    private static RedissonClient client(String redis) {
        Config config = new Config();
        config.setLockWatchdogTimeout(Node.TTL.toMillis());
        config.useSingleServer().setAddress(redis).setTimeout(1_000).setConnectTimeout(1_000);
        return Redisson.create(config);
    }

    private static Peer redisson(String redis, Function<RedissonClient, Function<String, Lock>> kind) {
        return of(kind.apply(client(redis)));
    }

    private static Peer of(Function<String, ? extends Lock> locks) {
        return (key, wait) -> {
            Lock lock = locks.apply(key);
            return lock.tryLock(wait.toMillis(), TimeUnit.MILLISECONDS) ? lock::unlock : BUSY;
        };
    }

    /** Over Redisson; without an expiry of its own, Redisson's watchdog renews it. */
    private static Peer lock4j(String redis) {
        LockTemplate template = new LockTemplate();
        template.setProperties(new Lock4jProperties());
        template.setExecutors(List.of(new RedissonLockExecutor(client(redis))));
        try {
            template.afterPropertiesSet();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return (key, wait) -> {
            LockInfo lock = template.lock(key, -1, wait.toMillis());
            return lock == null ? BUSY : () -> template.releaseLock(lock);
        };
    }
}
