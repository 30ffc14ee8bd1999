package io.rowlock.autoconfigure;

import io.rowlock.Printable;
import java.time.Duration;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Refuses property values out of their limits, naming the property, the value and the limit. */
final class PropertyLimit {
    private PropertyLimit() {}

    static void require(boolean within, String property, Object value, String limit) {
        if (!within) {
            Object shown = value instanceof Duration duration ? Printable.of(duration) : value;
            throw new InvalidConfigurationPropertyValueException(property, shown, limit);
        }
    }

    static void positive(String property, Duration value) {
        require(!value.isZero() && !value.isNegative(), property, value, "It must be longer than 0.");
    }
}
