package io.rowlock.autoconfigure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A line of {@code settings/cases.txt}: properties, what comes of them, and a part of the sentence that says so.
 *
 * @param written the properties, {@code name=value}, several with two semicolons between them
 * @param outcome what comes of them
 * @param sentence a part of what is printed; for what works, why it may
 */
record SettingsCase(String written, Outcome outcome, String sentence) {
    enum Outcome {
        /** The application does not start. */
        REFUSED,
        /** It starts, with a warning. */
        WARNED,
        /** It starts, and what needs a lock fails. */
        FAILS,
        /** It does what it says. */
        WORKS
    }

    static List<SettingsCase> parse(List<String> lines) {
        return lines.stream()
                .filter(line -> !line.isBlank() && !line.startsWith("//"))
                .map(SettingsCase::parse)
                .toList();
    }

    private static SettingsCase parse(String line) {
        String[] parts = line.split(" => |: ", 3);
        return new SettingsCase(parts[0], Outcome.valueOf(parts[1].toUpperCase(Locale.ROOT)), parts[2]);
    }

    Map<String, String> properties() {
        Map<String, String> properties = new LinkedHashMap<>();
        for (String each : written.replace("\\n", "\n").split(";;", -1)) {
            String[] pair = each.split("=", 2);
            properties.put(pair[0], pair[1]);
        }
        return properties;
    }
}
