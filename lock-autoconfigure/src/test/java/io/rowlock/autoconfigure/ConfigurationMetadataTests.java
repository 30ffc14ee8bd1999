package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.core.ResolvableType;
import org.springframework.core.io.UrlResource;

/** What an editor knows of the properties, against what there is and what the documents say. */
class ConfigurationMetadataTests {
    /** Meters and properties of builds are named alike. */
    private static final Pattern DOCUMENTED = Pattern.compile(
            "(?<![\\w.-])rowlock\\.(?!test\\b|stress\\b|acquire\\b|held\\b|active\\b|waiting\\b|at\\.risk|lost\\b|abandoned\\b|faults\\b|fence\\.|renewal\\.leases|key\\b(?!-)|token\\b|log\\.dropped|cleanup\\.failures)"
                    + "[a-z]+(?:[.-][a-z]+)*");

    private final Map<String, Map<String, Object>> properties = propertiesWith("rowlock.");

    @Test
    void everyPropertyIsDescribedAndEveryDescriptionHasOne() {
        Set<String> all = names("rowlock", RowlockProperties.class, new TreeSet<>());
        assertThat(properties.keySet()).isEqualTo(names("rowlock.redis", RowlockRedisProperties.class, all));
        properties.forEach((name, property) -> {
            assertThat(property.get("description"))
                    .as("description of " + name)
                    .asString()
                    .isNotBlank()
                    .endsWith(".");
            assertThat(property.get("type")).as("type of " + name).isNotNull();
        });
    }

    @Test
    void everyPropertySaysItsDefaultUnlessThatDepends() {
        Set<String> withoutDefault = new TreeSet<>();
        properties.forEach((name, property) -> {
            if (!property.containsKey("defaultValue")) {
                withoutDefault.add(name);
            }
        });
        assertThat(withoutDefault)
                .containsExactlyInAnyOrder(
                        "rowlock.owner",
                        "rowlock.fencing.unguarded-managers",
                        "rowlock.strategy",
                        "rowlock.renewal.interval",
                        "rowlock.datasource.url",
                        "rowlock.datasource.username",
                        "rowlock.datasource.password",
                        "rowlock.datasource.driver-class-name",
                        "rowlock.leader.roles",
                        "rowlock.locks",
                        "rowlock.locks.*.stale-snapshot",
                        "rowlock.locks.*.ttl",
                        "rowlock.locks.*.wait-time",
                        "rowlock.locks.*.strategy",
                        "rowlock.locks.*.hold-at-least",
                        "rowlock.locks.*.on-busy",
                        "rowlock.locks.*.permits");
    }

    @Test
    void promisedPropertiesExist() {
        assertThat(properties)
                .containsKeys(
                        "rowlock.enabled",
                        "rowlock.strategy",
                        "rowlock.ttl",
                        "rowlock.wait-time",
                        "rowlock.key-prefix",
                        "rowlock.owner",
                        "rowlock.renewal.enabled",
                        "rowlock.renewal.interval",
                        "rowlock.fencing.transactional",
                        "rowlock.fencing.uncovered",
                        "rowlock.handoff.max",
                        "rowlock.handoff.max-time",
                        "rowlock.schema.initialize",
                        "rowlock.schema.table-prefix",
                        "rowlock.pool.size",
                        "rowlock.pool.connection-timeout",
                        "rowlock.pool.query-timeout",
                        "rowlock.datasource.url",
                        "rowlock.datasource.username",
                        "rowlock.datasource.password",
                        "rowlock.datasource.driver-class-name",
                        "rowlock.log.mode",
                        "rowlock.log.retention",
                        "rowlock.cleanup.interval",
                        "rowlock.cleanup.keep-idle",
                        "rowlock.locks",
                        "rowlock.redis.enabled",
                        "rowlock.redis.fence",
                        "rowlock.web.busy-status",
                        "rowlock.startup.timeout",
                        "rowlock.aop.order");
    }

    @Test
    void healthHasItsSwitch() {
        Map<String, Map<String, Object>> health = propertiesWith("management.health.rowlock.");
        assertThat(health).containsOnlyKeys("management.health.rowlock.enabled");
        assertThat(health.values())
                .allSatisfy(property -> assertThat(property)
                        .containsEntry("type", "java.lang.Boolean")
                        .containsEntry("defaultValue", true)
                        .containsKey("description"));
    }

    @Test
    void valuesAreHintedWhereThereIsAChoice() {
        Map<String, List<String>> hints = new TreeMap<>();
        List<Map<String, Object>> all = JsonPath.read(metadata(), "$.hints");
        for (Map<String, Object> hint : all) {
            List<String> values = JsonPath.read(hint, "$.values[*].value");
            hints.put((String) hint.get("name"), values);
        }
        assertThat(hints)
                .containsEntry("rowlock.strategy", List.of("lease", "unique-key", "row-lock", "redis"))
                .containsEntry("rowlock.cluster.writers", List.of("auto", "one"))
                .containsEntry("rowlock.schema.initialize", List.of("always", "validate", "never"))
                .containsEntry("rowlock.fencing.uncovered", List.of("warn", "refuse"))
                .containsEntry("rowlock.log.mode", List.of("async", "off"))
                .containsEntry("rowlock.redis.fence", List.of("begin", "commit", "none"))
                .containsEntry("rowlock.fencing.stale-snapshot", List.of("refuse", "warn", "allow"));
        assertThat(hints.keySet()).containsAll(choices("rowlock", RowlockProperties.class, new TreeSet<>()));
        assertThat(hints.keySet()).containsAll(choices("rowlock.redis", RowlockRedisProperties.class, new TreeSet<>()));
        assertThat(properties).containsKeys(hints.keySet().toArray(String[]::new));
    }

    @Test
    void everyPropertyOfTheDocumentsExists() throws IOException {
        Path root = Path.of("..");
        for (Path document : List.of(root.resolve("README.md"), root.resolve("docs"))) {
            try (var files = Files.walk(document)) {
                for (Path file :
                        files.filter(path -> path.toString().endsWith(".md")).toList()) {
                    assertNamesKnownProperties(file);
                }
            }
        }
    }

    private void assertNamesKnownProperties(Path file) throws IOException {
        var names = DOCUMENTED.matcher(Files.readString(file));
        while (names.find()) {
            String name = names.group();
            assertThat(properties.keySet())
                    .as("%s names %s", file.getFileName(), name)
                    .anyMatch(known -> known.equals(name)
                            || known.startsWith(name + ".")
                            || name.startsWith("rowlock.leader.roles.")
                            || name.startsWith("rowlock.locks."));
        }
    }

    private static Set<String> names(String prefix, Class<?> type, Set<String> names) {
        for (RecordComponent component : type.getRecordComponents()) {
            String name = prefix + "." + dashed(component.getName());
            if (component.getType().isRecord()) {
                names(name, component.getType(), names);
            } else {
                names.add(name);
                valueOf(component).ifPresent(value -> names(name + ".*", value, names));
            }
        }
        return names;
    }

    /** The names of all properties whose type is an enumeration. */
    private static Set<String> choices(String prefix, Class<?> type, Set<String> names) {
        for (RecordComponent component : type.getRecordComponents()) {
            String name = prefix + "." + dashed(component.getName());
            if (component.getType().isRecord()) {
                choices(name, component.getType(), names);
            } else if (component.getType().isEnum()) {
                names.add(name);
            }
        }
        return names;
    }

    /** What a map of settings by name holds for each. */
    private static Optional<Class<?>> valueOf(RecordComponent component) {
        Class<?> value = ResolvableType.forType(component.getGenericType())
                .as(Map.class)
                .getGeneric(1)
                .resolve(Object.class);
        return Optional.<Class<?>>of(value).filter(Class::isRecord);
    }

    private static String dashed(String camelCase) {
        return camelCase.replaceAll("([A-Z])", "-$1").toLowerCase(java.util.Locale.ROOT);
    }

    static Map<String, Map<String, Object>> propertiesWith(String prefix) {
        Map<String, Map<String, Object>> byName = new TreeMap<>();
        List<Map<String, Object>> all = JsonPath.read(metadata(), "$.properties");
        all.stream()
                .filter(property -> ((String) property.get("name")).startsWith(prefix))
                .forEach(property -> byName.put((String) property.get("name"), property));
        return byName;
    }

    private static String metadata() {
        try {
            URL classes = RowlockProperties.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation();
            return new UrlResource(classes)
                    .createRelative("META-INF/spring-configuration-metadata.json")
                    .getContentAsString(StandardCharsets.UTF_8);
        } catch (IOException ex) {
            throw new java.io.UncheckedIOException(ex);
        }
    }
}
