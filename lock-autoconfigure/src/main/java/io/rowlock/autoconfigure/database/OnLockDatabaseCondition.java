package io.rowlock.autoconfigure.database;

import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;

/** Matches if there is a database: a DataSource, or a URL. */
final class OnLockDatabaseCondition extends AnyNestedCondition {
    OnLockDatabaseCondition() {
        super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnBean(DataSource.class)
    static class ApplicationDataSource {}

    @ConditionalOnProperty("rowlock.datasource.url")
    static class GivenDatabase {}
}
