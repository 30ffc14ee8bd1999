package io.rowlock.pages;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import io.rowlock.DistributedLockException;
import io.rowlock.LockEvent;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.DistributedSemaphore;
import io.rowlock.annotation.ReadLock;
import io.rowlock.annotation.WriteLock;
import io.rowlock.autoconfigure.RowlockAutoConfiguration;
import io.rowlock.client.admin.LockAdmin;
import io.rowlock.client.lock.ProcessLocks;
import io.rowlock.store.LockLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.UrlResource;
import org.springframework.core.type.filter.AssignableTypeFilter;
import org.yaml.snakeyaml.Yaml;

/** Tables of names and values show what there is. {@code -Drowlock.test.page=write} writes the table of the properties. */
class PageTablesTests {
    private static final String BEGIN = "<!-- properties: written by PageTablesTests -->\n";
    private static final String END = "<!-- end of properties -->\n";

    private final Page reference = Page.of("docs/reference.md");
    private final Page monitoring = Page.of("docs/monitoring.md");

    /** The metadata that editors show is the only source. */
    @Test
    void propertiesAreThoseOfTheMetadata() throws IOException {
        String table = properties();
        String text = reference.text();
        int begin = text.indexOf(BEGIN) + BEGIN.length();
        int end = text.indexOf(END);
        if ("write".equals(System.getProperty("rowlock.test.page"))) {
            Files.writeString(
                    Page.ROOT.resolve(reference.file()), text.substring(0, begin) + table + text.substring(end));
        } else {
            assertThat(text.substring(begin, end)).isEqualTo(table);
        }
    }

    private static String properties() {
        List<Map<String, Object>> all = JsonPath.read(metadata(), "$.properties");
        return all.stream()
                .filter(property -> ((String) property.get("name")).startsWith("rowlock."))
                .map(property -> "| `%s` | %s | %s |\n"
                        .formatted(
                                ((String) property.get("name")).replaceFirst("(roles|locks)\\.\\*", "$1.<name>"),
                                defaultOf(property),
                                ((String) property.get("description")).replaceAll("\\.$", "")))
                .sorted()
                .collect(Collectors.joining("", "| Property | Default | Meaning |\n|---|---|---|\n", ""));
    }

    private static String defaultOf(Map<String, Object> property) {
        Object value = property.get("defaultValue");
        return value == null || value.equals("") ? "" : "`" + value + "`";
    }

    @Test
    void eventFieldsAreThoseOfTheRecord() {
        assertThat(firstNames(monitoring.table("components: " + LockEvent.class.getName())))
                .containsExactlyElementsOf(components(LockEvent.class));
    }

    @Test
    void eventTypesAreThoseOfTheEnum() {
        Set<String> shown = firstNames(monitoring
                        .text()
                        .lines()
                        .filter(line -> line.matches("\\| `[A-Z_]+` \\|.*"))
                        .map(Page::cells)
                        .toList())
                .stream()
                .filter(name -> !Set.of("UP", "DEGRADED", "DOWN").contains(name))
                .collect(Collectors.toSet());
        assertThat(shown)
                .isEqualTo(
                        Arrays.stream(LockEvent.Type.values()).map(Enum::name).collect(Collectors.toSet()));
    }

    /** By their names, as they are no one's to use. */
    @Test
    void endpointFieldsAreThoseOfTheAnswers() throws ClassNotFoundException {
        Class<?> bodies = Class.forName("io.rowlock.autoconfigure.actuate.EndpointBodies");
        Map<String, Class<?>> answers = Arrays.stream(bodies.getDeclaredClasses())
                .filter(Class::isRecord)
                .collect(Collectors.toMap(Class::getSimpleName, type -> type));
        answers.put("Lock", LockAdmin.Held.class);
        answers.put("Node", ProcessLocks.Node.class);
        answers.put("Grant", LockLog.LogRow.class);
        List<List<String>> shown = Stream.of("Locks", "OneKey", "Lock", "Node", "Grant")
                .map(name -> components(answers.remove(name)))
                .toList();
        assertThat(answers).as("answers that no row shows").containsOnlyKeys("History", "Problem");
        assertThat(Page.of("docs/endpoint.md").table("fields: ").stream().map(row -> Page.names(row.get(1))))
                .containsExactlyElementsOf(shown);
    }

    @Test
    void everyExceptionHasItsRemedy() {
        var scanner = new ClassPathScanningCandidateComponentProvider(false);
        scanner.addIncludeFilter(new AssignableTypeFilter(DistributedLockException.class));
        Set<String> inApi = scanner.findCandidateComponents("io.rowlock").stream()
                .map(found -> found.getBeanClassName())
                .filter(name -> name.matches("io\\.rowlock\\.[A-Z]\\w*"))
                .map(name -> name.substring("io.rowlock.".length()))
                .filter(name -> !name.equals("DistributedLockException"))
                .collect(Collectors.toCollection(TreeSet::new));
        List<List<String>> rows = reference.table("errors: DistributedLockException");
        assertThat(new TreeSet<>(firstNames(rows))).isEqualTo(inApi);
        assertThat(rows).allSatisfy(row -> assertThat(row.get(2)).isNotEmpty());
    }

    @Test
    void everyAttributeOfTheAnnotationsIsShown() {
        Set<String> declared = Stream.of(
                        DistributedLock.class, ReadLock.class, WriteLock.class, DistributedSemaphore.class)
                .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                .map(Method::getName)
                .filter(name -> !name.equals("value"))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(new TreeSet<>(firstNames(reference.table("attributes: ")))).isEqualTo(declared);
    }

    @Test
    void everyTableOfTheSchemaIsShown() {
        Set<String> created = Pattern.compile("CREATE (?:TABLE|SQL SECURITY INVOKER VIEW) \\$\\{prefix}(\\w+)")
                .matcher(script())
                .results()
                .map(found -> "rowlock_" + found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        created.add("rowlock_schema_history");
        assertThat(new TreeSet<>(firstNames(reference.table("tables")))).isEqualTo(created);
    }

    @Test
    void alertsAreThoseOfTheRules() throws IOException {
        Map<String, List<Map<String, List<Map<String, Object>>>>> rules =
                new Yaml().load(Files.readString(Page.ROOT.resolve("docs/monitoring/prometheus-rules.yaml")));
        List<Object> alerts = rules.get("groups").stream()
                .flatMap(group -> group.get("rules").stream())
                .map(rule -> rule.get("alert"))
                .toList();
        assertThat(firstNames(monitoring.table("alerts"))).isEqualTo(alerts);
    }

    private static List<String> firstNames(List<List<String>> rows) {
        return rows.stream().map(row -> Page.names(row.get(0)).get(0)).toList();
    }

    private static List<String> components(Class<?> type) {
        return Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getName)
                .toList();
    }

    private static String metadata() {
        return text(
                new UrlResource(RowlockAutoConfiguration.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()),
                "META-INF/spring-configuration-metadata.json");
    }

    private static String script() {
        return text(new ClassPathResource("db/rowlock/mysql/"), "V1__lock_tables.sql");
    }

    private static String text(Resource folder, String file) {
        try {
            return folder.createRelative(file).getContentAsString(StandardCharsets.UTF_8);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
