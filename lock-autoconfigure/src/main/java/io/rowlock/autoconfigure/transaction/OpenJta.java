package io.rowlock.autoconfigure.transaction;

import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import jakarta.transaction.UserTransaction;
import java.util.function.BooleanSupplier;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.jta.JtaTransactionManager;

/**
 * Checks whether the thread is in a transaction of JTA, which is not bound to it as those of other managers. Apart, because the classes of JTA
 * may be missing.
 *
 * @param manager a {@link JtaTransactionManager}, or a proxy of one, which may not know it
 */
record OpenJta(ConfigurableTransactionManager manager) implements BooleanSupplier {
    /** @return true also if that is not known */
    @Override
    public boolean getAsBoolean() {
        Object target = AopProxyUtils.getSingletonTarget(manager);
        try {
            UserTransaction transaction = (target == null ? manager : target) instanceof JtaTransactionManager jta
                    ? jta.getUserTransaction()
                    : null;
            return transaction == null || transaction.getStatus() != Status.STATUS_NO_TRANSACTION;
        } catch (SystemException | RuntimeException e) {
            return true;
        }
    }
}
