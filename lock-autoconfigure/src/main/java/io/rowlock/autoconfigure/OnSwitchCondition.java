package io.rowlock.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches if every switch of an element is as it says. */
final class OnSwitchCondition extends SpringBootCondition {
    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        ConditionMessage.Builder message = ConditionMessage.forCondition(ConditionalOnSwitch.class);
        MergedAnnotation<ConditionalOnSwitch> wanted = metadata.getAnnotations().get(ConditionalOnSwitch.class);
        for (String property : wanted.getStringArray(MergedAnnotation.VALUE)) {
            boolean on = Switch.isOn(context.getEnvironment(), property, wanted.getBoolean("standard"));
            if (on != wanted.getBoolean("on")) {
                return ConditionOutcome.noMatch(message.because(property + " is " + on));
            }
        }
        return ConditionOutcome.match(message.because("every property is as it must be"));
    }
}
