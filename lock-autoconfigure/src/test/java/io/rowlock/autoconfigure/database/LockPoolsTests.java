package io.rowlock.autoconfigure.database;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.DriverDataSource;
import io.rowlock.autoconfigure.RowlockProperties;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.assertj.core.api.AbstractListAssert;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.api.ObjectAssert;
import org.junit.jupiter.api.Test;

class LockPoolsTests {
    private static final String TWO_HOSTS = "jdbc:mysql://one,two/locks";

    private static HikariDataSource locks() {
        return LockPool.create(
                () -> {
                    throw new IllegalStateException("nothing is derived");
                },
                null,
                new RowlockProperties.Datasource(TWO_HOSTS, "user", "secret", null),
                new RowlockProperties.Pool(3, Duration.ofSeconds(2), Duration.ofSeconds(3)));
    }

    /** Such a session may be the head of a queue. Those of row locks end with their ttl. */
    @Test
    void sessionThatIsCutOffEndsInAFewMinutes() {
        try (HikariDataSource locks = locks();
                LockPools pools = LockPools.of(locks)) {
            assertThat(List.of(pools.locks(), pools.waiting(), pools.batches()))
                    .extracting(HikariDataSource::getConnectionInitSql)
                    .allMatch(sql -> sql.contains(", wait_timeout = 300"));
        }
    }

    @Test
    void connectionsToEachOfSeveralHostsAreSetAsThoseOfTheirPool() {
        HikariDataSource locks = locks();
        try (LockPools pools = LockPools.of(locks);
                HikariDataSource patient = LockPool.forMigration(locks, Duration.ofSeconds(10))) {
            settings(pools.batches()).hasSize(2).allMatch(of -> of.containsKey("allowMultiQueries"));
            settings(pools.waiting()).hasSize(2).noneMatch(of -> of.containsKey("allowMultiQueries"));
            settings(patient)
                    .hasSize(2)
                    .allMatch(of -> of.getProperty("socketTimeout").equals("5000"))
                    .allMatch(of -> of.getProperty("connectTimeout").equals("5000"));
        }
    }

    private static AbstractListAssert<?, List<? extends Properties>, Properties, ObjectAssert<Properties>> settings(
            HikariDataSource pool) {
        return assertThat(pool.getDataSource())
                .extracting("servers", as(InstanceOfAssertFactories.list(DriverDataSource.class)))
                .extracting("driverProperties", Properties.class);
    }
}
