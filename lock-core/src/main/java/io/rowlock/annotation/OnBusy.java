package io.rowlock.annotation;

/** Decides what an annotated method does when another owner still holds its lock after the wait time. */
public enum OnBusy {
    /** Throw {@link io.rowlock.LockNotAcquiredException}. */
    THROW,

    /**
     * Return without running the body: an empty {@code Optional}, an already completed {@code CompletionStage} or
     * {@code Future} of null, an empty reactive stream, an empty collection, map or array, nothing from a {@code void} method,
     * otherwise null. A method that returns a primitive, or a type that excludes null (a non-null type of Kotlin or of
     * JSpecify), cannot skip; that is an error at start-up.
     */
    SKIP
}
