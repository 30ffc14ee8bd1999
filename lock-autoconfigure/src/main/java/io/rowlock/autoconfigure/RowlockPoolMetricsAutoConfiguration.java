package io.rowlock.autoconfigure;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.metrics.micrometer.MicrometerMetricsTrackerFactory;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.rowlock.autoconfigure.datasource.LockPool;
import io.rowlock.autoconfigure.datasource.LockPools;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the lock pool's meters: Spring Boot meters only pools that can be injected. */
@AutoConfiguration(after = RowlockDataSourceAutoConfiguration.class)
@ConditionalOnRowlockEnabled
@ConditionalOnClass({MeterBinder.class, HikariDataSource.class})
@ConditionalOnBean(RowlockDataSourceAutoConfiguration.OwnPool.class)
public final class RowlockPoolMetricsAutoConfiguration {
    @Bean
    MeterBinder rowlockPoolMetrics(BeanFactory beans) {
        return registry -> LockPools.NAMES.stream()
                .filter(beans::containsBean)
                .map(name -> LockPool.own(beans.getBean(name, DataSource.class)))
                .filter(pool -> pool.getMetricsTrackerFactory() == null && pool.getMetricRegistry() == null)
                .forEach(pool -> pool.setMetricsTrackerFactory(new MicrometerMetricsTrackerFactory(registry)));
    }
}
