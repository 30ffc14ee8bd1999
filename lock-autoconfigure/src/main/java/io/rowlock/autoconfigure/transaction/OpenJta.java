package io.rowlock.autoconfigure.transaction;

import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import jakarta.transaction.UserTransaction;
import java.util.function.BooleanSupplier;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.jta.JtaTransactionManager;

/**
 * Tells whether the thread is in a transaction of JTA, which is not bound to it as those of other managers. Apart, because the classes of JTA
 * may be missing.
 *
 * @param manager a {@link JtaTransactionManager}
 */
record OpenJta(ConfigurableTransactionManager manager) implements BooleanSupplier {
    @Override
    public boolean getAsBoolean() {
        UserTransaction transaction = ((JtaTransactionManager) manager).getUserTransaction();
        try {
            return transaction == null || transaction.getStatus() != Status.STATUS_NO_TRANSACTION;
        } catch (SystemException e) {
            return true;
        }
    }
}
