package io.rowlock.autoconfigure.settings;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Conditional;

/** Matches if a property is on, or off, as {@link Switch} reads it: the same value that is bound. */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@Conditional(OnSwitchCondition.class)
public @interface ConditionalOnSwitch {
    /** The name of the property. */
    String value();

    /** Whether it is on if it is not set. */
    boolean standard() default true;

    /** Whether it must be on. */
    boolean on() default true;
}
