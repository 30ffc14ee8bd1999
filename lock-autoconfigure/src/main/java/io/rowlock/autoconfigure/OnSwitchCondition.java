package io.rowlock.autoconfigure;

import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches if every switch of an element is as it says. */
final class OnSwitchCondition extends SpringBootCondition {
    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        ConditionMessage.Builder message = ConditionMessage.forCondition(ConditionalOnSwitch.class);
        MergedAnnotation<ConditionalOnSwitch> wanted = metadata.getAnnotations().get(ConditionalOnSwitch.class);
        for (String property : wanted.getStringArray(MergedAnnotation.VALUE)) {
            boolean on = isOn(context.getEnvironment(), property);
            if (on != wanted.getBoolean("on")) {
                return ConditionOutcome.noMatch(message.because(property + " is " + on));
            }
        }
        return ConditionOutcome.match(message.because("every property is as it must be"));
    }

    /**
     * Reads a property as it is bound; one that is not set is on.
     *
     * @throws RowlockSetupException if it is neither on nor off
     */
    static boolean isOn(Environment environment, String property) {
        try {
            return Binder.get(environment).bind(property, Boolean.class).orElse(true);
        } catch (BindException e) {
            String value = Binder.get(environment).bind(property, String.class).orElse("");
            throw new RowlockSetupException(
                    "The value \"%s\" of %s is neither true nor false.".formatted(value, property),
                    "Set it to true (on, yes and 1 mean the same) or to false (off, no, 0).");
        }
    }
}
