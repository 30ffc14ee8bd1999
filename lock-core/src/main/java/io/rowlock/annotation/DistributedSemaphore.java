package io.rowlock.annotation;

import io.rowlock.OnLost;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method with a permit of a semaphore: at most {@link #permits()} callers hold one of a key at a time, in all
 * processes.
 *
 * <p>Each call takes a permit of its own, a nested one too. Permits exclude {@link DistributedLock} and {@link WriteLock} on the
 * same key, but not {@link ReadLock}. If callers ask for different numbers, the smallest of those that are held or asked for
 * counts; lowering the number revokes no permit.
 *
 * <p>The lock key is {@link #name()} alone, the value of {@link #key()} alone, or both joined by {@code ":"}; one of
 * them is required. It is worked out once, before the method runs, and has at most 255 bytes of UTF-8.
 *
 * <p>On a class or an interface it applies to every public instance method, inherited ones included, but not to
 * {@code equals}, {@code hashCode}, {@code toString} and the {@link #fallback()}. An annotation of the method wins as a
 * whole; attributes are not mixed. Annotations of overridden and interface methods count, the nearest one first, and so
 * do annotations that are annotated with this one, their attributes mapped by {@link AliasFor}.
 *
 * <p>The lock is taken by a proxy, outside of {@code @Transactional}, and released when the transaction has ended: a
 * call from within the same object takes no lock, and a method that no proxy can intercept (private, static, final) is
 * an error at start-up, as is every other value that is known then to be wrong. A method that returns a
 * {@code CompletionStage} keeps the lock until that completes; one that returns a reactive type takes it at each
 * subscription and keeps it until that terminates. After a cancellation or a timeout the work may go on unseen, so the
 * lock is not released but expires after its ttl. Results whose end cannot be seen are an error at start-up, as with
 * {@link DistributedLock}.
 *
 * <p>The attributes {@link #value()}, {@link #permits()}, {@link #ttl()}, {@link #waitTime()}, {@link #holdAtLeast()},
 * {@link #strategy()} and {@link #fallback()} may contain ${…} placeholders. Durations are written as in Spring
 * Boot: a number and a unit out of {@code ns}, {@code us}, {@code ms}, {@code s}, {@code m}, {@code h}, {@code d}
 * ({@code "30s"}), several of them ({@code "1m30s"}), or ISO 8601 ({@code "PT30S"}). A number without a unit is refused.
 *
 * <p>A call can fail with {@link io.rowlock.LockNotAcquiredException}, {@link io.rowlock.LockInterruptedException} or
 * {@link io.rowlock.LockStoreException}, without its body having run, with {@link io.rowlock.LockLostException}, its
 * transaction rolled back, and with {@link IllegalArgumentException} if the key turns out null, empty or too long.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface DistributedSemaphore {
    /** @return alias for {@link #name()} */
    @AliasFor("name")
    String value() default "";

    /** @return the lock key, or its first part if there is a {@link #key()}: a literal, no expression */
    @AliasFor("value")
    String name() default "";

    /**
     * The part of the lock key that depends on the call, as a SpEL expression: {@code "#order.id"}. It sees the
     * arguments by name (as the annotated method names them, which needs {@code -parameters}) and as {@code #p0},
     * {@code #a0}; {@code #root.method}, {@code #root.methodName}, {@code #root.args}, {@code #root.target} and
     * {@code #root.targetClass}; and beans as {@code @name}. A collection, array or stream of values takes the lock of
     * every one of them, or none. Which types have a text that can be a key, and what is checked at start-up, is as
     * {@link DistributedLock#key()} says.
     *
     * @return the expression, or empty for none
     */
    String key() default "";

    /**
     * The number of callers that may hold a permit at a time. May come from a property: {@code "${reports.parallel:5}"}.
     *
     * @return a number from 1 to {@value io.rowlock.LockRequest#MAX_PERMITS}
     */
    String permits();

    /** @return how long a holder that died keeps the lock; positive; empty for {@code rowlock.ttl} */
    String ttl() default "";

    /** @return how long to wait for a busy lock; {@code "0s"} tries once; empty for {@code rowlock.wait-time} */
    String waitTime() default "";

    /** @return what to do when the lock is busy until the wait time is over; {@link OnBusy#THROW} if unset */
    OnBusy onBusy() default OnBusy.THROW;

    /**
     * The method to call instead, without the lock, when the lock is busy until the wait time is over: of the same
     * class or a superclass, with the same parameter types and a compatible return type; it may be private or static.
     * It cannot be combined with {@link OnBusy#SKIP}, and is not called if the database fails or the thread is
     * interrupted.
     *
     * @return the name of the method, or empty for none
     */
    String fallback() default "";

    /**
     * The time for which the lock is kept at least, counted from when it was granted, though the method was faster: a job
     * that starts on many nodes at about the same time then runs on one of them.
     *
     * @return the minimum, not negative; empty for none
     */
    String holdAtLeast() default "";

    /** @return the name of the strategy that takes the lock; empty for {@code rowlock.strategy} */
    String strategy() default "";

    /**
     * The consequence of a loss of the lock while the method runs. With {@link OnLost#NOTIFY} and {@link OnLost#INTERRUPT} the caller
     * gets the method's exception, or its result, in any case. {@link OnLost#INTERRUPT} needs a method that does its work on the
     * thread that calls it: one that returns a {@code CompletionStage} or a reactive type is
     * an error at start-up. With {@link OnLost#THROW} the call, its future or its publisher ends with
     * {@link io.rowlock.LockLostException} after the method; a future of a class of its own is an error at start-up.
     *
     * @return {@link OnLost#NOTIFY} if unset
     */
    OnLost onLost() default OnLost.NOTIFY;
}
