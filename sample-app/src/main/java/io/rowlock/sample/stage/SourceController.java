package io.rowlock.sample.stage;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.springframework.core.io.ClassPathResource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /source/{topic}}: the methods that the page is about, cut out of the sources of this build. */
@RestController
class SourceController {

    private static final String INDENT = "    ";
    static final Map<String, List<String>> METHODS = new TreeMap<>(Map.ofEntries(
            Map.entry("sale", List.of("sale/Shop.buy", "sale/Shop.sellOne")),
            Map.entry("sale-transaction", List.of("sale/Shop.buyInTransaction", "sale/Shop.sellOne")),
            Map.entry("sale-without", List.of("sale/Shop.buyWithoutLock", "sale/Shop.sellOne")),
            Map.entry("loan", List.of("loan/Bank.transfer", "loan/Bank.repay")),
            Map.entry("loan-without", List.of("loan/Bank.transferWithoutLock", "loan/Bank.repayWithoutLock")),
            Map.entry("report", List.of("report/Printer.render", "report/Printer.renderWithPermits")),
            Map.entry("report-without", List.of("report/Printer.renderWithoutPermit", "report/Printer.draw")),
            Map.entry("leader", List.of("jobs/Timetable.everySecond", "jobs/Dispatcher.dispatch")),
            Map.entry("nightly", List.of("jobs/Timetable.everyNight", "jobs/Nightly.run")),
            Map.entry("partitions", List.of("partitions/Partitions.share", "partitions/Partitions.releaseOne")),
            Map.entry("race", List.of("race/Runner.acquireAndRelease")),
            Map.entry("pause", List.of("pause/Accounts.withdraw", "pause/Ledger.payOut")),
            Map.entry("pause-redis", List.of("pause/RedisAccounts.withdraw", "pause/Ledger.payOut")),
            Map.entry("pause-without", List.of("pause/Accounts.withdrawWithoutLock", "pause/Ledger.payOut"))));

    private final Map<String, List<Snippet>> snippets = new TreeMap<>();

    SourceController() {
        METHODS.forEach((topic, methods) ->
                snippets.put(topic, methods.stream().map(SourceController::cut).toList()));
    }

    @GetMapping("/source/{topic}")
    List<Snippet> source(@PathVariable String topic) {
        Refusal.checkKnown("topic", topic, snippets.keySet());
        return snippets.getOrDefault(topic, List.of());
    }

    /** @param path the package of a scenario, the class and the method */
    private static Snippet cut(String path) {
        int dot = path.indexOf('.');
        String file = path.substring(0, dot) + ".java";
        return cut(file.substring(file.indexOf('/') + 1), lines(file), path.substring(dot + 1));
    }

    private static List<String> lines(String file) {
        try (InputStream in = new ClassPathResource("sources/io/rowlock/sample/" + file).getInputStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException("The source of %s is not in this build".formatted(file), e);
        }
    }

    static Snippet cut(String file, List<String> lines, String method) {
        int declared = IntStream.range(0, lines.size())
                .filter(i -> declares(lines.get(i), method))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("No method %s in %s".formatted(method, file)));
        int first = declared;
        while (lines.get(first - 1).startsWith(INDENT + "@")) {
            first--;
        }
        int last = declared;
        while (!lines.get(last).equals(INDENT + "}")) {
            last++;
        }
        List<String> code = lines.subList(first, last + 1).stream()
                .map(line -> line.startsWith(INDENT) ? line.substring(INDENT.length()) : line)
                .toList();
        return new Snippet(file, first + 1, String.join("\n", code));
    }

    private static boolean declares(String line, String method) {
        return line.startsWith(INDENT)
                && !line.startsWith(INDENT + " ")
                && line.contains(" " + method + "(")
                && line.endsWith("{");
    }

    /**
     * A method as it stands in the source, with its annotations and without its comment.
     *
     * @param file the file's name
     * @param line the number of the first line
     * @param code the lines, without the indentation of the class
     */
    record Snippet(String file, int line, String code) {}
}
