package io.rowlock.autoconfigure;

import java.time.Duration;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/** Refuses property values out of their limits, naming the property, the value and the limit. */
final class PropertyLimit {
    private PropertyLimit() {}

    static void require(boolean within, String property, Object value, String limit) {
        if (!within) {
            Object shown = value instanceof Duration duration ? text(duration) : value;
            throw new InvalidConfigurationPropertyValueException(property, shown, limit);
        }
    }

    static void positive(String property, Duration value) {
        require(!value.isZero() && !value.isNegative(), property, value, "It must be longer than 0.");
    }

    static String text(Duration duration) {
        // "1h" and not "3600000ms": as it was written
        return DurationFormatterUtils.print(duration, DurationFormat.Style.COMPOSITE);
    }
}
