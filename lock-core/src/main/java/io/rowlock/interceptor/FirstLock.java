package io.rowlock.interceptor;

import io.rowlock.HeldLock;
import io.rowlock.client.transaction.PreparedLock;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.interceptor.TransactionAspectSupport;

/**
 * The lock that a call's transaction is to take first. It goes with the call from the advice around the transaction to the
 * one inside it.
 *
 * @param prepared takes the lock
 * @param around the transaction that advice has begun or joined on this thread already, or null
 */
record FirstLock(PreparedLock prepared, @Nullable TransactionStatus around) {
    private static final String ATTRIBUTE = FirstLock.class.getName();

    static FirstLock of(PreparedLock prepared) {
        return new FirstLock(prepared, current());
    }

    private static @Nullable TransactionStatus current() {
        try {
            return TransactionAspectSupport.currentTransactionStatus();
        } catch (NoTransactionException none) {
            return null;
        }
    }

    void goWith(ProxyMethodInvocation call) {
        call.setUserAttribute(ATTRIBUTE, this);
    }

    static @Nullable FirstLock of(ProxyMethodInvocation call) {
        return (FirstLock) call.getUserAttribute(ATTRIBUTE);
    }

    /** @throws IllegalStateException unless advice has just begun a transaction for this call */
    HeldLock take() {
        TransactionStatus begun = current();
        if (begun == null || begun == around || !begun.isNewTransaction()) {
            throw new IllegalStateException(
                    "The lock was not taken: no transaction was begun between the lock's advice and the method. The advice of"
                            + " @Transactional must be a proxy's, with an order greater than rowlock.aop.order");
        }
        return prepared.take();
    }
}
