package io.rowlock.autoconfigure.web;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;

/** Matches unless {@code rowlock.web.busy-status} is 0. */
public final class OnBusyStatusCondition extends NoneNestedConditions {
    OnBusyStatusCondition() {
        super(ConfigurationPhase.PARSE_CONFIGURATION);
    }

    @ConditionalOnProperty(name = "rowlock.web.busy-status", havingValue = "0")
    static class Off {}
}
