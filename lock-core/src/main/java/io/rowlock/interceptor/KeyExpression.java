package io.rowlock.interceptor;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/** The key expression of one method. Thread-safe. */
final class KeyExpression {
    private final LockOperation operation;
    private final Method method;
    private final Class<?> beanClass;
    private final BeanResolver beans;
    private final KeyText texts;
    private final Expression expression;

    private final KeyVariables variables;

    KeyExpression(LockOperation operation, Method method, Class<?> beanClass, BeanResolver beans, KeyText texts) {
        this.operation = operation;
        this.method = method;
        this.beanClass = beanClass;
        this.beans = beans;
        this.texts = texts;
        this.expression = new SpelExpressionParser().parseExpression(Objects.requireNonNull(operation.key()));
        this.variables = new KeyVariables(operation.annotated(), method);
    }

    /**
     * Evaluates the expression.
     *
     * @return the values the lock keys of a call end with, at least one
     * @throws IllegalArgumentException if there are none
     */
    List<String> values(MethodInvocation call) {
        return values(new Root(method, call.getArguments(), call.getThis(), beanClass));
    }

    List<String> values(Root call) {
        try {
            return texts.of(expression.getValue(context(call)), operation.name() != null);
        } catch (EvaluationException | IllegalArgumentException failure) {
            throw new IllegalArgumentException(
                    "The lock key \"%s\" of %s.%s cannot be used: %s; %s"
                            .formatted(
                                    operation.key(),
                                    beanClass.getName(),
                                    method.getName(),
                                    failure.getMessage(),
                                    variables.describe()),
                    failure);
        }
    }

    private EvaluationContext context(Root call) {
        StandardEvaluationContext context = new StandardEvaluationContext(call);
        context.setBeanResolver(beans);
        variables.set(context, call.args);
        return context;
    }

    /** Shows a call as {@code #root} of a key expression: SpEL reads the properties by these methods. */
    static final class Root {
        private final Method method;
        private final @Nullable Object[] args;
        private final @Nullable Object target;
        private final Class<?> targetClass;

        Root(Method method, @Nullable Object[] args, @Nullable Object target, Class<?> targetClass) {
            this.method = method;
            this.args = args;
            this.target = target;
            this.targetClass = targetClass;
        }

        public Method method() {
            return method;
        }

        public String methodName() {
            return method.getName();
        }

        public @Nullable Object[] args() {
            return args;
        }

        public @Nullable Object target() {
            return target;
        }

        public Class<?> targetClass() {
            return targetClass;
        }
    }
}
