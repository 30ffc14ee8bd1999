package io.rowlock.interceptor.result;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;

/** The return types that do nothing until they are subscribed to. Loads no Reactor class unless it is there. */
public final class ReactiveTypes {
    private static final boolean REACTOR_PRESENT =
            ClassUtils.isPresent("reactor.core.publisher.Flux", ReactiveTypes.class.getClassLoader());

    public boolean include(Class<?> returnType) {
        return REACTOR_PRESENT && adapter(returnType) != null;
    }

    public Object guard(ProxyMethodInvocation invocation, Class<?> returnType, ReactiveGuard guard) {
        ReactiveAdapter adapter = adapter(returnType);
        if (adapter == null) {
            throw new IllegalArgumentException("No reactive type: " + returnType);
        }
        return guard.around(invocation, adapter);
    }

    // futures have adapters too, but run without a subscriber
    private static @Nullable ReactiveAdapter adapter(Class<?> returnType) {
        boolean future =
                CompletionStage.class.isAssignableFrom(returnType) || Future.class.isAssignableFrom(returnType);
        return future ? null : ReactiveAdapterRegistry.getSharedInstance().getAdapter(returnType);
    }
}
