package io.rowlock.sample.source;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.springframework.context.annotation.Profile;
import org.springframework.core.io.ClassPathResource;
import org.springframework.stereotype.Component;

/** The lines of Java that do what the page shows, cut out of the sources this program was built from. */
@Component
@Profile("!node")
public class Snippets {
    private static final String SOURCES = "sources/io/rowlock/sample/";

    private static final Map<String, List<String>> METHODS = new TreeMap<>(Map.ofEntries(
            Map.entry("sale", List.of("sale/Shop.buy", "sale/Shop.sellOne")),
            Map.entry("sale-transaction", List.of("sale/Shop.buyInTransaction", "sale/Shop.sellOne")),
            Map.entry("sale-without", List.of("sale/Shop.buyWithoutLock", "sale/Shop.sellOne")),
            Map.entry("loan", List.of("loan/Bank.transfer", "loan/Bank.repay")),
            Map.entry("loan-without", List.of("loan/Bank.transferWithoutLock", "loan/Bank.repayWithoutLock")),
            Map.entry("report", List.of("report/Printer.render", "report/Printer.renderWithPermits")),
            Map.entry("report-without", List.of("report/Printer.renderWithoutPermit", "report/Printer.draw")),
            Map.entry("leader", List.of("jobs/Timetable.everySecond", "jobs/Dispatcher.dispatch")),
            Map.entry("nightly", List.of("jobs/Timetable.everyNight", "jobs/Nightly.run")),
            Map.entry(
                    "partitions", List.of("partitions/PartitionShare.round", "partitions/PartitionShare.giveOneBack")),
            Map.entry("race", List.of("race/RaceTask.turn")),
            Map.entry("pause", List.of("pause/Accounts.withdraw", "pause/Ledger.payOut")),
            Map.entry("pause-redis", List.of("pause/RedisAccounts.withdraw", "pause/Ledger.payOut")),
            Map.entry("pause-without", List.of("pause/Accounts.withdrawWithoutLock", "pause/Ledger.payOut"))));

    private final Map<String, List<Snippet>> snippets = new TreeMap<>();

    Snippets() {
        METHODS.forEach((topic, methods) ->
                snippets.put(topic, methods.stream().map(Snippets::cut).toList()));
    }

    /** What there is. */
    public Collection<String> topics() {
        return snippets.keySet();
    }

    /** The methods that a topic is about. */
    public Optional<List<Snippet>> find(String topic) {
        return Optional.ofNullable(snippets.get(topic));
    }

    /** @param path the package of a scenario, the class and the method */
    private static Snippet cut(String path) {
        int slash = path.indexOf('/');
        int dot = path.indexOf('.');
        String source = path.substring(0, dot) + ".java";
        return Snippet.cut(source.substring(slash + 1), lines(source), path.substring(dot + 1));
    }

    private static List<String> lines(String file) {
        try (InputStream in = new ClassPathResource(SOURCES + file).getInputStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException("The source of %s is not in this build".formatted(file), e);
        }
    }
}
