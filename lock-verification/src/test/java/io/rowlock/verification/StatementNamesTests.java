package io.rowlock.verification;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every statement and script is in a model, or is listed with the reason why not; and no model has one that is gone. */
class StatementNamesTests {
    private static final Path MODELS = Path.of("model");
    private static final Path SQL = Path.of("../lock-jdbc/src/main/java/io/rowlock/store/jdbc");
    private static final Path SCRIPTS = Path.of("../lock-redis/src/main/resources/io/rowlock/store/redis");

    /** A field that an instance has, or a method that makes a statement; not what is the same for all, nor a part of a statement. */
    private static final Pattern STATEMENT = Pattern.compile(
            "^    (?:private )?final String (\\w+)(?:;| =)|^    (?:private )?String (\\w+)\\([^)]*\\) \\{",
            Pattern.MULTILINE);

    private static final Set<String> NO_STATEMENTS =
            Set.of("table", "stripes", "row", "fence", "log", "select", "shareNowait");
    private static final Pattern MODELLED = Pattern.compile("^ \\*   (\\w+): ([\\w ]+)$", Pattern.MULTILINE);

    @Test
    void eachStatementIsModelledOrListedWithTheReason() throws IOException {
        Set<String> code = statements();
        Set<String> known = modelled();
        known.addAll(notModelled(code));
        assertThat(known).containsExactlyInAnyOrderElementsOf(code);
    }

    @Test
    void noStatementIsBothModelledAndListed() throws IOException {
        assertThat(modelled()).doesNotContainAnyElementsOf(notModelled(statements()));
    }

    private static Set<String> statements() throws IOException {
        Set<String> names = new TreeSet<>();
        for (Path source : files(SQL, ".*(Sql|CleanUp)\\.java")) {
            String type = source.getFileName().toString().replace(".java", ".");
            STATEMENT
                    .matcher(Files.readString(source))
                    .results()
                    .map(found -> found.group(1) == null ? found.group(2) + "()" : found.group(1))
                    .filter(name -> !NO_STATEMENTS.contains(name.replace("()", "")) || name.equals("fence()"))
                    .forEach(name -> names.add(type + name.replace("()", "")));
        }
        files(SCRIPTS, ".*\\.lua")
                .forEach(script ->
                        names.add("redis." + script.getFileName().toString().replace(".lua", "")));
        assertThat(names).hasSizeGreaterThan(60);
        return names;
    }

    private static Set<String> modelled() throws IOException {
        Set<String> names = new TreeSet<>();
        for (Path model : files(MODELS, ".*\\.pml")) {
            List<MatchResult> lines =
                    MODELLED.matcher(Files.readString(model)).results().toList();
            assertThat(lines).as(model + " says which statements it has").isNotEmpty();
            lines.forEach(line ->
                    Stream.of(line.group(2).split(" ", -1)).forEach(name -> names.add(line.group(1) + "." + name)));
        }
        return names;
    }

    private static Set<String> notModelled(Set<String> code) throws IOException {
        Set<String> names = new TreeSet<>();
        for (String line : Files.readAllLines(MODELS.resolve("statements.txt"))) {
            if (line.startsWith("#")) {
                continue;
            }
            String[] parts = line.split(" \\| ", -1);
            assertThat(parts).as(line).hasSize(2);
            assertThat(parts[1]).as("the reason in: " + line).isNotBlank();
            if (parts[0].endsWith(".*")) {
                String type = parts[0].substring(0, parts[0].length() - 1);
                Set<String> all =
                        code.stream().filter(name -> name.startsWith(type)).collect(Collectors.toSet());
                assertThat(all).as(parts[0] + " has statements").isNotEmpty();
                names.addAll(all);
            } else {
                names.add(parts[0]);
            }
        }
        return names;
    }

    private static List<Path> files(Path under, String name) throws IOException {
        try (Stream<Path> all = Files.walk(under)) {
            return all.filter(file -> file.getFileName().toString().matches(name))
                    .sorted()
                    .toList();
        }
    }
}
