package io.rowlock.aspects;

import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.DistributedSemaphore;
import io.rowlock.annotation.ReadLock;
import io.rowlock.annotation.WriteLock;
import io.rowlock.interceptor.WovenLocks;
import io.rowlock.leader.LeaderOnly;
import org.aspectj.lang.reflect.MethodSignature;

/** Gives every method that it is woven into to the advice that the proxies of Spring have. */
public aspect LockAspect {
    // @Async outside of the lock, so that the thread that works has it; transactions and caches inside
    declare precedence: org.springframework.scheduling.aspectj..*, LockAspect,
            (org.springframework.transaction.aspectj..* || org.springframework.cache.aspectj..*);

    // The annotation itself, or one that carries it, or one that carries such a one
    declare @method: @(DistributedLock || ReadLock || WriteLock || DistributedSemaphore || LeaderOnly) * *(..): @Woven;
    declare @method: @(@(DistributedLock || ReadLock || WriteLock || DistributedSemaphore || LeaderOnly) *) * *(..): @Woven;
    declare @method: @(@(@(DistributedLock || ReadLock || WriteLock || DistributedSemaphore || LeaderOnly) *) *) * *(..): @Woven;

    // The same on its class
    declare @method: public !static * (@(DistributedLock || ReadLock || WriteLock || DistributedSemaphore) *).*(..): @Woven;
    declare @method: public !static * (@(@(DistributedLock || ReadLock || WriteLock || DistributedSemaphore) *) *).*(..): @Woven;
    declare @method: public !static * (@(@(@(DistributedLock || ReadLock || WriteLock || DistributedSemaphore) *) *) *).*(..): @Woven;

    Object around(): execution(@Woven * *(..)) {
        try {
            return WovenLocks.around(
                    thisJoinPoint.getThis(),
                    ((MethodSignature) thisJoinPoint.getSignature()).getMethod(),
                    thisJoinPoint.getArgs(),
                    () -> proceed());
        } catch (Throwable thrown) {
            throw LockAspect.<RuntimeException>unchecked(thrown);
        }
    }

    // Advice may throw what the method may throw, which the compiler of an aspect cannot know
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> T unchecked(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
