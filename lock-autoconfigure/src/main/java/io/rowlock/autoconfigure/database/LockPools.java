package io.rowlock.autoconfigure.database;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.jdbc.DataSourceUnwrapper;

/** The pools locks use, and how much of them is in use. */
public final class LockPools {
    static final String BEAN_NAME = "rowlockDataSource";
    public static final String ROW_LOCK_BEAN_NAME = "rowlockRowLockDataSource";
    public static final String WAITING_BEAN_NAME = "rowlockWaitingDataSource";
    public static final String BATCH_BEAN_NAME = "rowlockBatchDataSource";

    /** The pools of locks themselves, of which an application may have none, some or all. */
    static final List<String> NAMES = List.of(BEAN_NAME, WAITING_BEAN_NAME, BATCH_BEAN_NAME, ROW_LOCK_BEAN_NAME);

    private final Map<String, HikariDataSource> pools = new LinkedHashMap<>();

    /**
     * @param beans where the pools are
     * @param dataSource where locks get their connections, which may be the application's pool
     */
    public LockPools(BeanFactory beans, LockDataSource dataSource) {
        add(dataSource.connections());
        NAMES.stream()
                .filter(beans::containsBean)
                .map(name -> beans.getBean(name, DataSource.class))
                .forEach(this::add);
    }

    /**
     * Returns the pools that were made for locks, behind whatever a {@code BeanPostProcessor} has put around them.
     *
     * @param beans where the pools are
     * @param dataSource where locks get their connections
     * @return them; none if the application declared its own DataSource for locks
     */
    public static List<HikariDataSource> own(BeanFactory beans, LockDataSource dataSource) {
        return !dataSource.isOwn()
                ? List.of()
                : NAMES.stream()
                        .filter(beans::containsBean)
                        .map(name -> LockPool.own(beans.getBean(name, DataSource.class)))
                        .toList();
    }

    private void add(DataSource dataSource) {
        HikariDataSource pool =
                DataSourceUnwrapper.unwrap(dataSource, HikariConfigMXBean.class, HikariDataSource.class);
        if (pool != null) {
            pools.putIfAbsent(String.valueOf(pool.getPoolName()), pool);
        }
    }

    /**
     * The part of a pool that is in use.
     *
     * @param max how many connections it has at most
     * @param active how many are in use
     * @param idle how many are not
     * @param waiting how many threads wait for one
     */
    public record Use(int max, int active, int idle, int waiting) {}

    private static Use use(HikariDataSource pool) {
        HikariPoolMXBean now = pool.getHikariPoolMXBean();
        return now == null
                ? new Use(pool.getMaximumPoolSize(), 0, 0, 0)
                : new Use(
                        pool.getMaximumPoolSize(),
                        now.getActiveConnections(),
                        now.getIdleConnections(),
                        now.getThreadsAwaitingConnection());
    }

    /** @return by the pools' names; empty if none of them is HikariCP's */
    public Map<String, Use> use() {
        Map<String, Use> use = new LinkedHashMap<>();
        pools.forEach((name, pool) -> use.put(name, use(pool)));
        return use;
    }
}
