package io.rowlock.autoconfigure.redis;

import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Matches if it is known which servers keep the locks: those of the only connection factory, or of one for locks alone. */
public final class OnLettuceCondition extends AnyNestedCondition {
    /** The factory of an application that has one for locks alone. */
    public static final String BEAN_NAME = "rowlockRedisConnectionFactory";

    OnLettuceCondition() {
        super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnSingleCandidate(LettuceConnectionFactory.class)
    static class ApplicationFactory {}

    @ConditionalOnBean(name = BEAN_NAME)
    static class OwnFactory {}
}
