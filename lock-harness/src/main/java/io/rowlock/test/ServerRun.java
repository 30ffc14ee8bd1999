package io.rowlock.test;

import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import io.rowlock.test.database.ServerSearch;
import io.rowlock.test.database.TestSchema;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.AfterClassTemplateInvocationCallback;
import org.junit.jupiter.api.extension.BeforeClassTemplateInvocationCallback;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContext;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * The run of a test class on one server.
 *
 * @param name of the server
 * @param search for the server, which is made once a JVM
 */
record ServerRun(String name, Supplier<ServerSearch.Result> search)
        implements ClassTemplateInvocationContext,
                ExecutionCondition,
                BeforeClassTemplateInvocationCallback,
                AfterClassTemplateInvocationCallback,
                ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(ServerRun.class);

    private static final Set<Class<?>> INJECTABLE = Set.of(DatabaseServer.class, TestSchema.class, DataSource.class);

    static ServerRun on(ServerFlavor flavor) {
        return new ServerRun(flavor.label(), () -> ServerSearch.result(flavor));
    }

    static ServerRun onMariaDb118() {
        return new ServerRun("MariaDB 11.8", ServerSearch::mariaDb118);
    }

    boolean isPossible() {
        return search.get().server().isPresent();
    }

    @Override
    public String getDisplayName(int invocationIndex) {
        return name;
    }

    @Override
    public List<Extension> getAdditionalExtensions() {
        return List.of(this);
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return search.get()
                .server()
                .map(server -> ConditionEvaluationResult.enabled("on " + server))
                .orElseGet(() -> ConditionEvaluationResult.disabled(search.get().explanation()));
    }

    @Override
    public void beforeClassTemplateInvocation(ExtensionContext context) {
        if (isPossible()) {
            schema(context).migrate();
            ServerMethods.before(context);
        }
    }

    @Override
    public void afterClassTemplateInvocation(ExtensionContext context) {
        if (isPossible()) {
            ServerMethods.after(context);
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return INJECTABLE.contains(parameter.getParameter().getType());
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        if (type == DatabaseServer.class) {
            return search.get().server().orElseThrow();
        }
        return type == TestSchema.class ? schema(context) : schema(context).dataSource();
    }

    /** Returns the schema of the run that a test is part of. */
    static TestSchema schemaOf(ExtensionContext context) {
        return Objects.requireNonNull(context.getStore(NAMESPACE).get(TestSchema.class, TestSchema.class));
    }

    /** JUnit closes it, and so drops it, after the run. Methods and nested classes find the one of their run. */
    private TestSchema schema(ExtensionContext context) {
        return context.getStore(NAMESPACE)
                .computeIfAbsent(
                        TestSchema.class,
                        type -> search.get().server().orElseThrow().createSchema(),
                        TestSchema.class);
    }
}
