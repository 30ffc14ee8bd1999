package io.rowlock.test;

import io.rowlock.client.JdbcBackend;
import io.rowlock.client.LockBackend;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.BeforeClassTemplateInvocationCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** The run of a test class on one kind of server. */
final class FlavorExtension implements ExecutionCondition, BeforeClassTemplateInvocationCallback, ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(FlavorExtension.class);

    private static final Set<Class<?>> INJECTABLE =
            Set.of(DatabaseServer.class, TestSchema.class, DataSource.class, LockBackend.class);

    private final ServerFlavor flavor;

    FlavorExtension(ServerFlavor flavor) {
        this.flavor = flavor;
    }

    private ServerSearch.Result search() {
        return ServerSearch.result(flavor);
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return search().server()
                .map(server -> ConditionEvaluationResult.enabled("on " + server))
                .orElseGet(() -> ConditionEvaluationResult.disabled(search().explanation()));
    }

    @Override
    public void beforeClassTemplateInvocation(ExtensionContext context) {
        if (search().server().isPresent()) {
            schema(context).migrate();
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
            return search().server().orElseThrow();
        }
        if (type == LockBackend.class) {
            return new JdbcBackend(schema(context));
        }
        return type == TestSchema.class ? schema(context) : schema(context).dataSource();
    }

    /** JUnit closes it, and so drops it, after the run. Methods and nested classes find the one of their run. */
    private TestSchema schema(ExtensionContext context) {
        return context.getStore(NAMESPACE)
                .computeIfAbsent(
                        TestSchema.class,
                        type -> search().server().orElseThrow().createSchema(),
                        TestSchema.class);
    }
}
