package io.rowlock.autoconfigure;

import io.rowlock.autoconfigure.settings.ConditionalOnSwitch;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Matches unless {@code rowlock.enabled} is false. */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ConditionalOnSwitch("rowlock.enabled")
@interface ConditionalOnRowlockEnabled {}
