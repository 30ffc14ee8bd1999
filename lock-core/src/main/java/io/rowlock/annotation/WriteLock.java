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
 * Runs a method under the exclusive one of a pair of locks.
 *
 * <p>On the same key it excludes every other {@code WriteLock}, {@link DistributedLock}, {@link ReadLock} and {@link DistributedSemaphore}.
 *
 * <p>Keys, proxies, results, durations and failures are as {@link DistributedLock} says.
 *
 * @see DistributedLock
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface WriteLock {
    /** @return alias for {@link #name()} */
    @AliasFor("name")
    String value() default "";

    /** @return the lock key, or its first part if there is a {@link #key()}: a literal, no expression */
    @AliasFor("value")
    String name() default "";

    /** @return the part of the key that depends on the call, see {@link DistributedLock#key()} */
    String key() default "";

    /** @return how long a holder that died keeps the lock; positive; empty for {@code rowlock.ttl} */
    String ttl() default "";

    /** @return how long to wait for a busy lock; {@code "0s"} tries once; empty for {@code rowlock.wait-time} */
    String waitTime() default "";

    /** @return what to do when the lock is busy until the wait time is over; {@link OnBusy#THROW} if unset */
    OnBusy onBusy() default OnBusy.THROW;

    /** @return the method to call instead while the lock is busy, see {@link DistributedLock#fallback()} */
    String fallback() default "";

    /** @return how long the lock is kept at least, see {@link DistributedLock#holdAtLeast()} */
    String holdAtLeast() default "";

    /** @return the name of the strategy that keeps the lock; empty for {@code rowlock.strategy} */
    String strategy() default "";

    /** @return what happens if the lock is lost while the method runs, see {@link DistributedLock#onLost()} */
    OnLost onLost() default OnLost.NOTIFY;
}
