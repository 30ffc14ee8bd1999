package io.rowlock.annotation;

import io.rowlock.OnLost;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a scheduled job on one node, though every node fires it: a {@link DistributedLock} that skips the method if another node
 * has the lock, and keeps the lock for {@link #holdAtLeast()}, so that a node whose clock is late does not run the job again.
 *
 * <p>The key is the name of the method unless {@link #name()} says another. Two methods whose locks have the same name, or one
 * method in two beans of a class, would skip each other, so that is an error at start-up. Everything else is as {@link DistributedLock} says.
 *
 * @see DistributedLock
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@DistributedLock(waitTime = "0s", onBusy = OnBusy.SKIP)
public @interface OncePerCluster {
    /** @return alias for {@link #name()} */
    @AliasFor(annotation = DistributedLock.class, attribute = "name")
    String value() default "";

    /**
     * The lock key, a literal. Give a job a name of its own if its class or method may be renamed while an older version runs.
     *
     * @return the name; empty for the class of the bean without its package, and the method: {@code "Reports.nightly"}
     */
    @AliasFor(annotation = DistributedLock.class, attribute = "name")
    String name() default "";

    /**
     * The time for which the lock is kept at least, though the job was faster: longer than the clocks of the nodes, and the times at
     * which their schedulers get to the job, may differ, and shorter than the time between two firings.
     *
     * @return the minimum; {@code "0s"} for none
     */
    @AliasFor(annotation = DistributedLock.class, attribute = "holdAtLeast")
    String holdAtLeast() default "10s";

    /** @return how long a holder that died keeps the lock; empty for {@code rowlock.ttl} */
    @AliasFor(annotation = DistributedLock.class, attribute = "ttl")
    String ttl() default "";

    /** @return the name of the strategy that keeps the lock; empty for {@code rowlock.strategy} */
    @AliasFor(annotation = DistributedLock.class, attribute = "strategy")
    String strategy() default "";

    /** @return what happens if the lock is lost while the job runs */
    @AliasFor(annotation = DistributedLock.class, attribute = "onLost")
    OnLost onLost() default OnLost.NOTIFY;
}
