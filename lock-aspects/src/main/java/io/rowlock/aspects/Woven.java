package io.rowlock.aspects;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method that {@code LockAspect} was woven into. The weaver adds it, and the start-up of an application looks for it; do not
 * write it yourself.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Woven {}
