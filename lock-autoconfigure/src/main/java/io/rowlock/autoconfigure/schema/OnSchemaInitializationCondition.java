package io.rowlock.autoconfigure.schema;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;

/** Matches unless {@code rowlock.schema.initialize} is never. */
public final class OnSchemaInitializationCondition extends NoneNestedConditions {
    OnSchemaInitializationCondition() {
        super(ConfigurationPhase.PARSE_CONFIGURATION);
    }

    @ConditionalOnProperty(name = "rowlock.schema.initialize", havingValue = "never")
    static class Never {}
}
