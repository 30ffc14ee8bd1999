package io.rowlock.test;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs a test class on MariaDB 11.8, with Rowlock's tables in a schema of its own; where there is none the class is skipped.
 * For what that version does differently: the other tests run on the one that {@link OnServer} finds.
 */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith(MariaDb118Extension.class)
public @interface OnMariaDb118 {}
