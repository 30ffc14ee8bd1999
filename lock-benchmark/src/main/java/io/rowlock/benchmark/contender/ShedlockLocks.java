package io.rowlock.benchmark.contender;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.benchmark.server.Pools;
import io.rowlock.benchmark.server.Servers;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * ShedLock on JdbcTemplate with the database's time. It does not wait: here it tries again every 100 ms, which is what
 * Spring Integration does by default.
 */
final class ShedlockLocks implements Locks {
    private static final long RETRY_MILLIS = 100;
    private static final Duration AT_MOST = Duration.ofSeconds(PATIENCE_SECONDS);

    private final HikariDataSource pool;
    private final LockProvider provider;

    ShedlockLocks(Servers servers, int threads) {
        pool = Pools.open(servers, threads);
        provider = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(pool))
                .usingDbTime()
                .build());
    }

    @Override
    public Worker worker() {
        return new ProviderWorker(provider);
    }

    @Override
    public void close() {
        pool.close();
    }

    private static final class ProviderWorker implements Worker {
        private final LockProvider provider;
        private @Nullable SimpleLock held;

        ProviderWorker(LockProvider provider) {
            this.provider = provider;
        }

        @Override
        public void lock(String key) throws InterruptedException {
            Optional<SimpleLock> lock = tryLock(key);
            while (lock.isEmpty()) {
                TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
                lock = tryLock(key);
            }
            held = lock.get();
        }

        private Optional<SimpleLock> tryLock(String key) {
            return provider.lock(new LockConfiguration(Instant.now(), key, AT_MOST, Duration.ZERO));
        }

        @Override
        public void unlock() {
            if (held != null) {
                held.unlock();
            }
        }
    }
}
