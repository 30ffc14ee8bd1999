package io.rowlock.autoconfigure.database;

import static org.assertj.core.api.Assertions.assertThat;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionManager;

class TransactionalDataSourceTests {
    private final DataSource dataSource = new DriverManagerDataSource("jdbc:mysql://h/db");

    @Test
    void resourceOfAJdbcManagerIsItsDataSource() {
        assertThat(TransactionalDataSource.of(new JdbcTransactionManager(dataSource)))
                .isSameAs(dataSource);
        assertThat(TransactionalDataSource.of(
                        new JdbcTransactionManager(new TransactionAwareDataSourceProxy(dataSource))))
                .isSameAs(dataSource);
    }

    @Test
    void managerOfAnotherResourceMayExposeADataSource() {
        assertThat(TransactionalDataSource.of(new PersistenceManager(dataSource)))
                .isSameAs(dataSource);
        assertThat(TransactionalDataSource.of(new PersistenceManager(null))).isNull();
    }

    @Test
    void managerWithoutDataSourceHasNone() {
        assertThat(TransactionalDataSource.of(new TransactionManager() {})).isNull();
    }

    @Test
    void decoratedManagerIsFoundBehindAProxy() {
        JdbcTransactionManager inner = new JdbcTransactionManager(dataSource);
        for (boolean byClass : new boolean[] {true, false}) {
            ProxyFactory proxies = new ProxyFactory(new Decorating(inner));
            proxies.setProxyTargetClass(byClass);
            assertThat(TransactionalDataSource.inside(
                            (TransactionManager) proxies.getProxy(),
                            TransactionManager.class,
                            JdbcTransactionManager.class))
                    .contains(inner);
        }
    }

    static class Decorating implements TransactionManager {
        @SuppressWarnings("UnusedVariable") // read by reflection
        private final @Nullable TransactionManager inner;

        Decorating(@Nullable TransactionManager inner) {
            this.inner = inner;
        }
    }

    /** As JpaTransactionManager: its resource is no DataSource, but it exposes the connection of one. */
    static final class PersistenceManager implements TransactionManager {
        private final DataSource dataSource;

        PersistenceManager(DataSource dataSource) {
            this.dataSource = dataSource;
        }

        public DataSource getDataSource() {
            return dataSource;
        }
    }
}
