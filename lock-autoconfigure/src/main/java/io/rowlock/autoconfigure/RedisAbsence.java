package io.rowlock.autoconfigure;

import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** Why there is no strategy redis, though it is asked for. Needs none of the classes it looks for. */
final class RedisAbsence {
    /** The strategy, whose class may be missing. */
    static final String STRATEGY = "redis";

    private static final String STORE = "io.rowlock.store.redis.RedisLockStore";
    private static final String LETTUCE = "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory";
    private static final String ANY_FACTORY = "org.springframework.data.redis.connection.RedisConnectionFactory";
    private static final String STARTER = "Add the dependency io.rowlock:rowlock-redis-spring-boot-starter.";

    private RedisAbsence() {}

    /**
     * Explains it.
     *
     * @param beans where a connection factory would be
     * @param environment the properties
     * @return what was found and what to do about it
     */
    static RowlockSetupException explain(ListableBeanFactory beans, Environment environment) {
        if (!ClassUtils.isPresent(STORE, null)) {
            return absence("the module rowlock-redis is not on the class path.", STARTER);
        }
        if (!ClassUtils.isPresent(LETTUCE, null)) {
            return absence("Spring Data Redis with Lettuce is not on the class path.", STARTER);
        }
        if (!OnSwitchCondition.isOn(environment, "rowlock.redis.enabled", true)) {
            return absence(
                    "rowlock.redis.enabled is false.",
                    "Set rowlock.redis.enabled to true, or choose another strategy.");
        }
        int fit = count(beans, LETTUCE);
        if (fit > 1) {
            return absence(
                    "there are %d connection factories, and it is not known which of them is meant.".formatted(fit),
                    "Mark the factory whose servers keep the locks with @Primary, or name one \"rowlockRedisConnectionFactory\".");
        }
        return count(beans, ANY_FACTORY) > 0
                ? absence(
                        "the application connects to Redis with another driver than Lettuce, which locks need.",
                        "Let spring.data.redis.client-type be lettuce, with io.lettuce:lettuce-core on the class path, or declare a "
                                + "LettuceConnectionFactory named \"rowlockRedisConnectionFactory\".")
                : absence(
                        "the application has no connection to Redis.",
                        "Set spring.data.redis.host, or declare a LettuceConnectionFactory.");
    }

    private static RowlockSetupException absence(String reason, String action) {
        return new RowlockSetupException(
                "rowlock.strategy is \"redis\", but locks cannot be kept in Redis: " + reason, action);
    }

    private static int count(ListableBeanFactory beans, String type) {
        return beans.getBeanNamesForType(ClassUtils.resolveClassName(type, null), true, false).length;
    }
}
