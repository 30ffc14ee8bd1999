package io.rowlock.test;

import java.util.List;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** What {@link OnMariaDb118} does to a test class. The server is looked for once a JVM. */
final class MariaDb118Extension implements ExecutionCondition, BeforeAllCallback, ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(MariaDb118Extension.class);

    private static final ServerSearch SEARCH = new ServerSearch(
            List.of(flavor -> DockerServer.open(flavor, "mariadb:11.8"), new UnpackedMariaDb("mariadb-11.8.sh")));

    private static ServerSearch.Result server() {
        return SEARCH.find(ServerFlavor.MARIADB);
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return server().server().isPresent()
                ? ConditionEvaluationResult.enabled("there is one")
                : ConditionEvaluationResult.disabled(server().explanation());
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        schema(context).migrate();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == TestSchema.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return schema(context);
    }

    /** JUnit closes it, and so drops it, when the class has run. */
    private static TestSchema schema(ExtensionContext context) {
        return context.getStore(NAMESPACE)
                .computeIfAbsent(
                        TestSchema.class,
                        type -> server().server().orElseThrow().createSchema(),
                        TestSchema.class);
    }
}
