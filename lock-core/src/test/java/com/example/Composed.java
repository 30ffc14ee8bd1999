package com.example;

import io.rowlock.annotation.DistributedLock;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Annotations of an application, whose package is not Rowlock's. */
public final class Composed {
    private Composed() {}

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLock("x")
    @Repeatable(GuardedTwice.class)
    public @interface Guarded {}

    @Retention(RetentionPolicy.RUNTIME)
    public @interface GuardedTwice {
        Guarded[] value();
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Guarded
    public @interface GuardedAgain {}

    @Retention(RetentionPolicy.RUNTIME)
    @Guarded
    @Guarded
    public @interface Both {}

    @Retention(RetentionPolicy.RUNTIME)
    public @interface Listed {
        Deprecated[] value();
    }
}
