package io.rowlock.test;

import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.TestSchema;
import java.lang.reflect.Executable;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** What {@link OnServer} does to a test class. */
final class ServerExtension implements ExecutionCondition, BeforeAllCallback, AfterAllCallback, ParameterResolver {

    private static final Namespace NAMESPACE = Namespace.create(ServerExtension.class);

    private static final Set<Class<?>> INJECTABLE = Set.of(DatabaseServer.class, TestSchema.class, DataSource.class);

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        if (context.getTestClass().isEmpty() || context.getTestMethod().isPresent()) {
            return ConditionEvaluationResult.enabled("decided for the class");
        }
        // A nested class of an abstract one has no annotation around it; the class that runs it was asked already.
        return ServerChoice.of(context.getRequiredTestClass())
                .map(ServerExtension::decide)
                .orElseGet(() -> ConditionEvaluationResult.enabled("decided for the class around"));
    }

    private static ConditionEvaluationResult decide(ServerChoice choice) {
        return choice.server()
                .map(server -> ConditionEvaluationResult.enabled("on " + server))
                .orElseGet(() -> ConditionEvaluationResult.disabled(choice.explanation()));
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        ClassSchema schema = schemaOf(context);
        if (!BootTests.includes(context.getRequiredTestClass())) {
            schema.get().migrate();
        }
        ServerMethods.before(context);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        ServerMethods.after(context);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return INJECTABLE.contains(parameter.getParameter().getType())
                && !belongsToSpring(parameter.getParameter(), parameter.getDeclaringExecutable());
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        ClassSchema schema = schemaOf(context);
        Class<?> type = parameter.getParameter().getType();
        if (type == DatabaseServer.class) {
            return schema.server();
        }
        return type == TestSchema.class ? schema.get() : schema.get().dataSource();
    }

    /** {@code @Autowired DataSource} and the like: two resolvers for one parameter would be an error. */
    private static boolean belongsToSpring(Parameter parameter, Executable declaring) {
        return parameter.getAnnotations().length > 0
                || Arrays.stream(declaring.getAnnotations())
                        .anyMatch(annotation ->
                                annotation.annotationType().getSimpleName().equals("Autowired"));
    }

    private static ClassSchema schemaOf(ExtensionContext context) {
        // Closed by JUnit after every callback of the class, Spring's included. Nested classes find their parent's.
        return context.getStore(NAMESPACE)
                .computeIfAbsent(
                        ClassSchema.class, key -> ClassSchema.of(context.getRequiredTestClass()), ClassSchema.class);
    }
}
