package io.rowlock.autoconfigure;

import io.rowlock.Printable;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.core.convert.ConversionException;
import org.springframework.core.env.Environment;

/**
 * Reads properties that are on or off as they are bound: {@code true}, {@code on}, {@code yes} and {@code 1}, or
 * {@code false}, {@code off}, {@code no} and {@code 0}, in any case and with blanks around. Everything else is refused, so that
 * nothing is switched by a mistake in spelling.
 */
final class Switch {
    private Switch() {}

    /**
     * Reads a property.
     *
     * @param environment where it may be set, under any of its relaxed names
     * @param property its name
     * @param standard what applies if it is not set
     * @return whether it is on
     * @throws RowlockSetupException if it is neither on nor off
     */
    static boolean isOn(Environment environment, String property, boolean standard) {
        String text = text(environment, property);
        return text == null ? standard : isOn(property, text);
    }

    /** Returns a property as it was written, with its placeholders resolved where that is possible; null if it is not set. */
    static @Nullable String text(Environment environment, String property) {
        ConfigurationPropertyName name = ConfigurationPropertyName.of(property);
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            ConfigurationProperty found = source.getConfigurationProperty(name);
            if (found != null) {
                return environment.resolvePlaceholders(String.valueOf(found.getValue()));
            }
        }
        return null;
    }

    static boolean isOn(String property, String value) {
        Boolean on = converted(value);
        if (on == null) {
            throw new RowlockSetupException(
                    "The value \"%s\" of %s is neither true nor false.".formatted(Printable.of(value), property),
                    "Set %s to true or false.".formatted(property),
                    null);
        }
        return on;
    }

    private static @Nullable Boolean converted(String value) {
        try {
            return ApplicationConversionService.getSharedInstance().convert(value, Boolean.class);
        } catch (ConversionException neither) {
            return null;
        }
    }
}
