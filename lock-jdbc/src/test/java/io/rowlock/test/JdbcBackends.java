package io.rowlock.test;

import io.rowlock.client.JdbcBackend;
import io.rowlock.client.LockBackend;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Leases in the schema of a class that runs {@link OnEachServer}, for the contracts of all back ends. */
public final class JdbcBackends implements ParameterResolver {
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == LockBackend.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return new JdbcBackend(ServerRun.schemaOf(context));
    }
}
