package io.rowlock.interceptor;

import static org.springframework.transaction.support.TransactionSynchronizationManager.getResourceMap;
import static org.springframework.transaction.support.TransactionSynchronizationManager.isSynchronizationActive;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockLostException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.OnLost;
import io.rowlock.client.RowlockClient;
import io.rowlock.store.DaemonThreads;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.core.ReactiveAdapter;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Acquires the lock at each subscription and releases it when that ends. The client blocks, so its calls leave threads
 * that others need.
 */
record ReactiveGuard(LockClient client, LockRequest request, GuardedMethod method, TransactionLockAdvice transactions) {
    /**
     * As many threads as there are calls: in a bounded scheduler, those that wait for a lock would stand before the release that they wait
     * for, and before what the holder itself does there.
     */
    private static final Scheduler UNBOUNDED =
            Schedulers.fromExecutorService(Executors.newCachedThreadPool(DaemonThreads.numbered("rowlock-reactive")));

    Object around(ProxyMethodInvocation call) {
        ReactiveAdapter type =
                Objects.requireNonNull(ResultTypes.reactive(method.method().getReturnType()));
        Flux<?> guarded = Flux.usingWhen(
                        rejectInTransaction().then(Mono.fromSupplier(SubscriptionLock::new)),
                        lock -> offSharedThreads(Mono.fromCallable(lock::acquire))
                                .flatMapMany(refusal -> body(refusal.orElse(null), lock, call, type)),
                        lock -> ended(() -> lock.end(request.onLost()::afterReturn)),
                        (lock, thrown) -> ended(() -> lock.end(held -> Release.afterCompletion(held, request, thrown))),
                        lock -> ended(lock::releaseAfterCancellation))
                .onErrorMap(ReactiveGuard::unwrapped);
        return type.fromPublisher(type.isMultiValue() ? guarded : guarded.singleOrEmpty());
    }

    /** Fails in a transaction that is open around the subscription: it would commit after the lock was released. */
    private Mono<Void> rejectInTransaction() {
        return TransactionSynchronizationManager.forCurrentTransaction()
                .filter(open -> open.isActualTransactionActive() && !transactions.leavesReactiveTransaction(method))
                .flatMap(open -> Mono.<Void>error(new IllegalStateException(
                        "The lock of %s cannot be relied on in a reactive transaction that is open already: it would be released before that commits. Let the annotated method begin the transaction, or give it one of its own (REQUIRES_NEW)"
                                .formatted(method.shownAs()))))
                .onErrorResume(NoTransactionException.class, none -> Mono.empty());
    }

    /** Reactor wraps what a release after the last element fails with; the subscriber gets the loss itself. */
    private static Throwable unwrapped(Throwable failure) {
        return failure.getClass() == RuntimeException.class && failure.getCause() instanceof LockLostException loss
                ? loss
                : failure;
    }

    private Mono<Void> ended(Runnable release) {
        return offSharedThreads(Mono.fromRunnable(release));
    }

    private <T> Mono<T> offSharedThreads(Mono<T> blocking) {
        return Mono.defer(() -> isOnSharedThread() ? blocking.subscribeOn(UNBOUNDED) : blocking);
    }

    /**
     * Returns true if others may need the thread to go on, as the holder: an event loop of Reactor or Netty, or one of the few threads of a
     * scheduler for calls that block. Such a call stays if the thread has something that would not come along.
     */
    private boolean isOnSharedThread() {
        Thread thread = Thread.currentThread();
        boolean shared = thread.getUncaughtExceptionHandler().getClass().getPackage() == Scheduler.class.getPackage()
                || thread.getClass().getName().endsWith("FastThreadLocalThread");
        boolean inTransaction = isSynchronizationActive() || !getResourceMap().isEmpty();
        return Schedulers.isInNonBlockingThread() || (shared && !inTransaction && hasNoLock());
    }

    private boolean hasNoLock() {
        return client instanceof RowlockClient own
                ? own.isCallerFree(request)
                : !client.isAcquiredByCurrentThread(request);
    }

    private Publisher<?> body(
            @Nullable LockNotAcquiredException refusal,
            SubscriptionLock lock,
            ProxyMethodInvocation call,
            ReactiveAdapter type) {
        if (refusal == null && !lock.begin()) {
            return Mono.empty();
        }
        try {
            // a clone, since the invocation itself can proceed but once; exposed, as advice of AspectJ further inside
            // asks for it
            @Nullable
            Object result = refusal == null
                    ? ExposeInvocationInterceptor.INSTANCE.invoke(call.invocableClone())
                    : method.busyAnswer(call, refusal);
            return type.toPublisher(result);
        } catch (Throwable thrown) {
            return Mono.error(thrown);
        }
    }

    /**
     * The lock of one subscription. A cancellation may come while the lock is still being acquired on another thread: then
     * the later of the two, the acquiring or the releasing thread, closes it. Thread-safe.
     */
    private final class SubscriptionLock {
        // guarded by this
        private @Nullable HeldLock held;
        private volatile boolean working;
        private boolean over;

        /** Returns why the lock was not granted, or empty if it was. */
        Optional<LockNotAcquiredException> acquire() {
            try {
                HeldLock lock = client.acquire(request);
                Release.detach(lock);
                if (!isKept(lock)) {
                    OnLost.NOTIFY.afterReturn(lock);
                }
                return Optional.empty();
            } catch (LockNotAcquiredException busy) {
                // not thrown: the interrupt that a cancellation brings would end up in the log as a dropped error
                return Optional.of(busy);
            }
        }

        private synchronized boolean isKept(HeldLock lock) {
            held = over ? null : lock;
            return !over;
        }

        /** Notes that the body begins. @return false if it must not: the subscription is over */
        synchronized boolean begin() {
            working = !over;
            return working;
        }

        /** Leaves a lock whose body has begun to its ttl: a cancellation does not tell when the work ends. */
        void releaseAfterCancellation() {
            end(lock -> {
                if (working) { // nothing begins any more
                    Release.letExpire(lock, request);
                } else {
                    OnLost.NOTIFY.afterReturn(lock);
                }
            });
        }

        /** @throws LockLostException if the lock was lost and that ends the subscription */
        private void end(Consumer<HeldLock> release) {
            HeldLock lock;
            synchronized (this) {
                over = true;
                lock = held;
                held = null;
            }
            if (lock != null) {
                release.accept(lock);
            }
        }
    }
}
