package io.rowlock.interceptor.transaction;

import io.rowlock.annotation.LockOperation;
import io.rowlock.annotation.LockOperationSource;
import java.lang.reflect.Method;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.Ordered;

/** Applies {@link FirstLockInterceptor} to the methods whose lock is part of their transaction, as the innermost advice. */
public final class FirstLockAdvisor extends DefaultPointcutAdvisor {
    private static final long serialVersionUID = 1L;

    /** @param operations what the annotations say */
    public FirstLockAdvisor(LockOperationSource operations) {
        super(new Methods(operations), new FirstLockInterceptor());
        setOrder(Ordered.LOWEST_PRECEDENCE);
    }

    private static final class Methods extends StaticMethodMatcherPointcut {
        private final LockOperationSource operations;

        Methods(LockOperationSource operations) {
            this.operations = operations;
            setClassFilter(operations::isCandidate);
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            LockOperation operation = operations.find(method, targetClass);
            return operation != null && TransactionGuard.guards(operation);
        }
    }
}
