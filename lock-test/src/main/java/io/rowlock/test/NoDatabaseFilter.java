package io.rowlock.test;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/** Leaves out what Rowlock does with the application's database or Redis, in tests whose locks are kept in memory. */
final class NoDatabaseFilter implements AutoConfigurationImportFilter, EnvironmentAware {
    static final String PROPERTY = "io.rowlock.test.memory";

    /** All that asks the database or Redis depends on the beans of these. */
    private static final Set<String> ON_DATABASE = Set.of(
            "io.rowlock.autoconfigure.database.RowlockDataSourceAutoConfiguration",
            "io.rowlock.autoconfigure.redis.RowlockRedisAutoConfiguration");

    private boolean inMemory;

    @Override
    public void setEnvironment(Environment environment) {
        inMemory = environment.getProperty(PROPERTY, Boolean.class, false);
    }

    @Override
    public boolean[] match(@Nullable String[] configurations, AutoConfigurationMetadata metadata) {
        boolean[] wanted = new boolean[configurations.length];
        for (int i = 0; i < configurations.length; i++) {
            String name = configurations[i];
            wanted[i] = !inMemory || name == null || !ON_DATABASE.contains(name);
        }
        return wanted;
    }
}
