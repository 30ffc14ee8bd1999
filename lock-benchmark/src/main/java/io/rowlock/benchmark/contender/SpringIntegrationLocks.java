package io.rowlock.benchmark.contender;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.benchmark.server.Pools;
import io.rowlock.benchmark.server.Servers;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Spring Integration's registry on JDBC as it comes: a ttl of 10 s, and a try every 100 ms while it waits. */
public final class SpringIntegrationLocks implements Locks {
    private final HikariDataSource pool;
    private final DefaultLockRepository repository;
    private final JdbcLockRegistry registry;

    /**
     * @param servers where the database is
     * @param threads how many connections
     */
    public SpringIntegrationLocks(Servers servers, int threads) {
        pool = Pools.open(servers, threads);
        repository = new DefaultLockRepository(pool);
        repository.setTransactionManager(new JdbcTransactionManager(pool));
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        registry = new JdbcLockRegistry(repository);
    }

    /** @return the registry itself */
    public JdbcLockRegistry registry() {
        return registry;
    }

    @Override
    public Worker worker() {
        return new RegistryWorker(registry);
    }

    @Override
    public void close() {
        repository.stop();
        pool.close();
    }
}
