package io.rowlock.test.redis;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** What {@link OnRedis} does to a test class. */
final class RedisExtension implements ExecutionCondition, ParameterResolver {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return RedisServer.find()
                .map(server -> ConditionEvaluationResult.enabled("on " + server))
                .orElseGet(() -> ConditionEvaluationResult.disabled(RedisServer.explanation()));
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == RedisServer.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return RedisServer.find().orElseThrow();
    }
}
