package io.rowlock.test;

import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.TestSchema;
import java.util.Set;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** What {@link OnCluster} does to a test class. */
final class ClusterExtension implements ExecutionCondition, ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(ClusterExtension.class);
    private static final Set<Class<?>> INJECTABLE = Set.of(TestCluster.class, DatabaseServer.class, TestSchema.class);

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        if (context.getTestClass().isEmpty() || context.getTestMethod().isPresent()) {
            return ConditionEvaluationResult.enabled("decided for the class");
        }
        try {
            cluster(context);
            return ConditionEvaluationResult.enabled("the cluster runs");
        } catch (IllegalStateException e) {
            return ConditionEvaluationResult.disabled("There is no cluster: " + e.getMessage());
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return INJECTABLE.contains(parameter.getParameter().getType());
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        TestCluster cluster = cluster(context);
        Class<?> type = parameter.getParameter().getType();
        if (type == TestCluster.class) {
            return cluster;
        }
        return type == TestSchema.class ? cluster.schema() : cluster.server();
    }

    /** Closed by JUnit after the class. */
    private static TestCluster cluster(ExtensionContext context) {
        ClusterKind kind =
                context.getRequiredTestClass().getAnnotation(OnCluster.class).value();
        return context.getStore(NAMESPACE)
                .computeIfAbsent(TestCluster.class, key -> TestCluster.start(kind), TestCluster.class);
    }
}
