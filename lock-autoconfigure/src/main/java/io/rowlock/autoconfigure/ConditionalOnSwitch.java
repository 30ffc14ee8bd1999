package io.rowlock.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Conditional;

/**
 * Matches if each of these properties is on, as one that is not set, or off: the same value that is bound, {@code true}, {@code on},
 * {@code yes} and {@code 1}, or {@code false}, {@code off}, {@code no} and {@code 0}. Everything else is refused, so that nothing is
 * switched by a mistake in spelling.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@Conditional(OnSwitchCondition.class)
public @interface ConditionalOnSwitch {
    /** The names of the properties. */
    String[] value();

    /** The value that matches. */
    boolean on() default true;
}
