package io.rowlock.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.metrics.PoolStats;
import com.zaxxer.hikari.metrics.micrometer.MicrometerMetricsTrackerFactory;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.client.observe.LockInstrumentation.Outcome;
import io.rowlock.client.observe.LockInstrumentation.RenewalOutcome;
import io.rowlock.client.observe.ObservedLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.json.JsonParserFactory;
import org.yaml.snakeyaml.Yaml;

/** The dashboard and the alert rules name nothing that is not scraped: no series, no label, no value of a label. */
class MonitoringFilesTests {
    private static final Path FILES = Path.of("..", "docs", "monitoring");
    private static final Path DOCS = Path.of("..", "docs", "monitoring.md");

    private static final Pattern SAMPLE = Pattern.compile("(?m)^([a-z_]+)(?:\\{(.*)})? \\S+$");
    private static final Pattern LABEL = Pattern.compile("([a-z_]+)(=~|!=|!~|=)\"([^\"]*)\"");
    private static final Pattern SELECTOR = Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{([^}]*)})?");
    private static final Pattern GROUPING = Pattern.compile("\\b(?:by|without|on)\\s*\\(([^)]*)\\)");
    private static final Set<String> WORDS = Set.of("and", "or", "unless", "offset", "bool", "sum", "max", "min");

    /** Each series that is scraped, with its labels and their values. */
    private static final Map<String, Map<String, Set<String>>> SCRAPED = new HashMap<>();

    @BeforeAll
    static void scrape() {
        Matcher sample = SAMPLE.matcher(everythingThatCanHappen().scrape());
        while (sample.find()) {
            Map<String, Set<String>> labels = SCRAPED.computeIfAbsent(sample.group(1), name -> new HashMap<>());
            Matcher label = LABEL.matcher(String.valueOf(sample.group(2)));
            while (label.find()) {
                labels.computeIfAbsent(label.group(1), name -> new HashSet<>()).add(label.group(3));
            }
        }
        assertThat(SCRAPED).containsKeys("rowlock_acquire_seconds_count", "hikaricp_connections_max");
    }

    private static PrometheusMeterRegistry everythingThatCanHappen() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(registry));
        MicrometerInstrumentation locks = new MicrometerInstrumentation(registry, observations);
        ObservedLock lock = new ObservedLock("order:1", "order", LockMode.EXCLUSIVE, "lease");
        LockStoreException outage = new LockStoreException("off", null);
        locks.waiting(lock).ended(Outcome.ACQUIRED, 1);
        locks.waiting(lock).ended(Outcome.BUSY, 0);
        locks.waiting(lock).ended(Outcome.INTERRUPTED, 0);
        locks.waiting(lock).failed(outage);
        locks.holding(lock, 1).ended(Outcome.RELEASED, 0);
        locks.holding(lock, 1).ended(Outcome.LOST, 0);
        locks.holding(lock, 1).failed(outage);
        locks.renewal("lease", RenewalOutcome.RENEWED, 3, Duration.ofMillis(1));
        FunctionCounter.builder("rowlock.log.dropped", registry, any -> 0).register(registry);
        for (String pool : List.of("rowlock", "rowlock-waiting", "rowlock-batch", "rowlock-row-lock")) {
            new MicrometerMetricsTrackerFactory(registry).create(pool, new Idle());
        }
        return registry;
    }

    private static final class Idle extends PoolStats {
        Idle() {
            super(1_000);
        }

        @Override
        protected void update() {}
    }

    /** Where it is, and what it asks for. */
    record Query(String where, String text) {
        @Override
        public String toString() {
            return where;
        }
    }

    static Stream<Query> queries() throws IOException {
        List<Query> all = new ArrayList<>();
        String dashboard = Files.readString(FILES.resolve("grafana-dashboard.json"));
        collect("dashboard", JsonParserFactory.getJsonParser().parseMap(dashboard), all);
        collect("rules", new Yaml().load(Files.readString(FILES.resolve("prometheus-rules.yaml"))), all);
        assertThat(all).hasSizeGreaterThan(30);
        return all.stream();
    }

    private static void collect(String where, Object node, List<Query> all) {
        if (node instanceof Map<?, ?> map) {
            Object title = map.containsKey("title") ? map.get("title") : map.get("alert");
            String here = title == null ? where : where + " / " + title;
            if (map.get("expr") instanceof String query) {
                all.add(new Query(here, query));
            }
            if (map.get("definition") instanceof String query) {
                all.add(new Query(here, query.replaceAll("label_values\\((\\w+), (\\w+)\\)", "sum by ($2) ($1)")));
            }
            map.values().forEach(value -> collect(here, value, all));
        } else if (node instanceof Collection<?> list) {
            list.forEach(value -> collect(where, value, all));
        }
    }

    @ParameterizedTest
    @MethodSource("queries")
    void queryNamesOnlyWhatIsScraped(Query query) {
        String text = query.text().replace("[$__rate_interval]", "").replaceAll("\\[\\w+]", "");
        Set<String> grouped = new HashSet<>();
        Matcher grouping = GROUPING.matcher(text);
        while (grouping.find()) {
            grouped.addAll(List.of(grouping.group(1).split("\\s*,\\s*")));
        }
        int series = 0;
        String rest = grouping.replaceAll(" ");
        Matcher selector = SELECTOR.matcher(rest);
        while (selector.find()) {
            boolean function = rest.substring(selector.end()).stripLeading().startsWith("(");
            if (!function && !WORDS.contains(selector.group(1))) {
                series++;
                check(selector.group(1), selector.group(2), grouped);
            }
        }
        assertThat(series).as("series in " + query.text()).isPositive();
    }

    private static void check(String series, String matchers, Set<String> grouped) {
        assertThat(SCRAPED).containsKey(series);
        Map<String, Set<String>> labels = SCRAPED.get(series);
        assertThat(labels.keySet()).as("labels of " + series).containsAll(grouped);
        Matcher label = LABEL.matcher(matchers == null ? "" : matchers);
        while (label.find()) {
            assertThat(labels).as("labels of " + series).containsKey(label.group(1));
            if (label.group(2).equals("=")) {
                assertThat(labels.get(label.group(1)))
                        .as(label.group(1) + " of " + series)
                        .contains(label.group(3));
            }
        }
    }

    /** Whatever is measured is explained, and nothing else. */
    @Test
    void everyMeterIsDocumented() throws IOException {
        String docs = Files.readString(DOCS);
        Set<String> documented = new HashSet<>();
        Matcher meter = Pattern.compile("(?m)^\\| `(rowlock\\.[a-z.]+)`").matcher(docs);
        while (meter.find()) {
            documented.add(meter.group(1));
        }
        Set<String> measured = new HashSet<>();
        everythingThatCanHappen().getMeters().stream()
                .map(found -> found.getId().getName())
                .filter(name -> name.startsWith("rowlock."))
                .forEach(measured::add);
        assertThat(documented).containsAll(measured);
        assertThat(measured)
                .containsAll(documented.stream()
                        .filter(name -> !name.equals("rowlock.key") && !name.equals("rowlock.token"))
                        .toList());
    }
}
