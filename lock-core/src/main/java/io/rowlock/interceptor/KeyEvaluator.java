package io.rowlock.interceptor;

import io.rowlock.annotation.LockOperation;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.AnnotatedElementKey;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.CachedExpressionEvaluator;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;

/** Evaluates the key expression of one call. Thread-safe. */
final class KeyEvaluator extends CachedExpressionEvaluator {
    private final Map<ExpressionKey, Expression> expressions = new ConcurrentHashMap<>();
    private final BeanFactoryResolver beans;

    KeyEvaluator(BeanFactory beanFactory) {
        this.beans = new BeanFactoryResolver(beanFactory);
    }

    /** The values the lock keys end with, at least one; empty if the operation has no key expression. */
    List<String> values(LockOperation operation, KeyRoot call) {
        String key = operation.key();
        if (key == null) {
            return List.of();
        }
        try {
            var element = new AnnotatedElementKey(call.getMethod(), call.getTargetClass());
            return KeyValues.of(getExpression(expressions, element, key).getValue(context(operation, call)));
        } catch (EvaluationException | IllegalArgumentException failure) {
            throw new IllegalArgumentException(
                    "The lock key \"%s\" of %s.%s cannot be used: %s; %s"
                            .formatted(
                                    key,
                                    call.getTargetClass().getName(),
                                    call.getMethodName(),
                                    failure.getMessage(),
                                    operation.keyVariables()),
                    failure);
        }
    }

    private MethodBasedEvaluationContext context(LockOperation operation, KeyRoot call) {
        Method annotated = operation.annotated();
        var context = new MethodBasedEvaluationContext(call, annotated, call.getArgs(), getParameterNameDiscoverer());
        context.setBeanResolver(beans);
        if (!annotated.equals(call.getMethod())) {
            // a name that both methods use, for different parameters, is meant as the annotated one uses it
            setArguments(context, call.getMethod(), call.getArgs());
            setArguments(context, annotated, call.getArgs());
        }
        return context;
    }

    private void setArguments(MethodBasedEvaluationContext context, Method method, @Nullable Object[] args) {
        @Nullable String[] names = getParameterNameDiscoverer().getParameterNames(method);
        for (int i = 0; names != null && i < names.length; i++) {
            if (names[i] != null) {
                context.setVariable(names[i], args[i]);
            }
        }
    }
}
