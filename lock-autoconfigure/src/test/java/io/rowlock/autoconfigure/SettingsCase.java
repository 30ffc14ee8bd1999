package io.rowlock.autoconfigure;

import java.util.ArrayList;
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

    /** The property that the table has a row for. */
    String property() {
        return properties().keySet().iterator().next();
    }

    /** What is written behind the property's name, as the table shows it. */
    private String value() {
        String value = written.substring(property().length() + 1).replace(";;", "; ");
        String shown = value.length() > 60 ? value.substring(0, 20) + "… (" + value.length() + " characters)" : value;
        return shown.isBlank() ? (shown.isEmpty() ? "(empty)" : "(blanks)") : "`` " + shown.replace("|", "\\|") + " ``";
    }

    /** The table of all cases: one row for each property and what comes of its values. */
    static String table(List<SettingsCase> cases) {
        Map<List<String>, List<String>> rows = new LinkedHashMap<>();
        for (SettingsCase each : cases) {
            List<String> row =
                    List.of(each.property(), each.outcome().name().toLowerCase(Locale.ROOT), each.sentence());
            rows.computeIfAbsent(row, unused -> new ArrayList<>()).add(each.value());
        }
        StringBuilder table = new StringBuilder("| Property | Value | What comes of it |\n|---|---|---|\n");
        rows.forEach((row, values) -> table.append(
                "| `%s` | %s | %s: %s |\n".formatted(row.get(0), String.join(", ", values), row.get(1), row.get(2))));
        return table.toString();
    }
}
