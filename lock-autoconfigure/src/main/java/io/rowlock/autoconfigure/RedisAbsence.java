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
        return new RowlockSetupException(
                "rowlock.strategy is \"redis\", but locks cannot be kept in Redis: " + reason(beans, environment),
                action(beans, environment),
                null);
    }

    private static String reason(ListableBeanFactory beans, Environment environment) {
        if (!isPresent(STORE)) {
            return "the module rowlock-redis is not on the class path.";
        }
        if (!isPresent(LETTUCE)) {
            return "Spring Data Redis with Lettuce is not on the class path.";
        }
        if (isSwitchedOff(environment)) {
            return "rowlock.redis.enabled is false.";
        }
        int all = count(beans, ANY_FACTORY);
        int fit = count(beans, LETTUCE);
        if (fit > 1) {
            return "there are %d connection factories, and it is not known which of them is meant.".formatted(fit);
        }
        return all > 0
                ? "the application connects to Redis with another driver than Lettuce, which locks need."
                : "the application has no connection to Redis.";
    }

    private static String action(ListableBeanFactory beans, Environment environment) {
        if (!isPresent(STORE) || !isPresent(LETTUCE)) {
            return STARTER;
        }
        if (isSwitchedOff(environment)) {
            return "Set rowlock.redis.enabled to true, or choose another strategy.";
        }
        if (count(beans, LETTUCE) > 1) {
            return "Mark the factory whose servers keep the locks with @Primary, or name one \"rowlockRedisConnectionFactory\".";
        }
        return count(beans, ANY_FACTORY) > 0
                ? "Let spring.data.redis.client-type be lettuce, with io.lettuce:lettuce-core on the class path, or declare a "
                        + "LettuceConnectionFactory named \"rowlockRedisConnectionFactory\"."
                : "Set spring.data.redis.host, or declare a LettuceConnectionFactory.";
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, null);
    }

    private static boolean isSwitchedOff(Environment environment) {
        return !Switch.isOn(environment, "rowlock.redis.enabled", true);
    }

    private static int count(ListableBeanFactory beans, String type) {
        return beans.getBeanNamesForType(ClassUtils.resolveClassName(type, null), true, false).length;
    }
}
