package io.rowlock.autoconfigure.datasource;

import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;

/** Matches if there is a DataSource, be it the application's or one for locks alone. */
public final class OnLockDatabaseCondition extends AnyNestedCondition {
    OnLockDatabaseCondition() {
        super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnBean(DataSource.class)
    static class ApplicationDataSource {}

    @ConditionalOnBean(name = LockPools.BEAN_NAME)
    static class OwnDataSource {}
}
