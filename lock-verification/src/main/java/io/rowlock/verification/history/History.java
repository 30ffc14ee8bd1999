package io.rowlock.verification.history;

import io.rowlock.verification.history.Event.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The events of all threads of all nodes.
 *
 * @param operations the calls, each for one key
 * @param reigns when nodes led
 * @param pauses when nodes stood still
 * @param settings of the clock by which the database's leases expire
 * @param failOvers of Redis
 * @param reports of listeners and the log
 * @param samples of what must not grow
 * @param lastSign the last event of each node
 */
public record History(
        List<Operation> operations,
        List<Event> reigns,
        List<Event> pauses,
        List<Event> settings,
        List<FailOver> failOvers,
        Reports reports,
        List<Event> samples,
        Map<Integer, Long> lastSign) {
    /**
     * @param directory where each process has written its own
     * @param until leaves out what is later: the files of processes at work are not read at one moment
     */
    public static History read(Path directory, long until) throws IOException {
        Reading reading = new Reading();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(file -> file.toString().endsWith(".txt"))
                    .sorted()
                    .toList()) {
                try (Stream<String> lines = Files.lines(file)) {
                    lines.filter(Event::isWhole)
                            .map(Event::parse)
                            .filter(event -> event.at() <= until)
                            .forEach(reading::add);
                }
            }
        }
        return reading.history();
    }

    /** @param events in any order among nodes */
    public static History of(List<Event> events) {
        Reading reading = new Reading();
        events.forEach(reading::add);
        return reading.history();
    }

    private static final class Reading {
        private record Id(long operation, String key) {}

        private record Holder(int node, String key) {}

        private final Map<Id, Operation> operations = new LinkedHashMap<>();
        private final Map<Integer, Long> lastSign = new HashMap<>();
        private final List<Event> reigns = new ArrayList<>();
        private final List<Event> pauses = new ArrayList<>();
        private final List<Event> settings = new ArrayList<>();
        private final List<FailOver> failOvers = new ArrayList<>();
        private final Reports reports = new Reports();
        private final List<Event> samples = new ArrayList<>();
        private final Map<Holder, List<Event>> changes = new HashMap<>();

        void add(Event event) {
            switch (event.kind()) {
                case GONE, BACK ->
                    changes.computeIfAbsent(new Holder(event.node(), event.key()), holder -> new ArrayList<>())
                            .add(event);
                case LED -> reigns.add(event);
                case PAUSED -> pauses.add(event);
                case SET -> settings.add(event);
                case FAILED_OVER -> failOvers.add(FailOver.of(event));
                case SAMPLE -> samples.add(event);
                case LOGGED -> reports.add(event);
                case HEARD -> {
                    reports.add(event);
                    if (event.operation() != 0 && event.text().equals("ACQUIRED")) {
                        operation(event).add(event);
                    }
                }
                default -> operation(event).add(event);
            }
            if (event.kind() != Kind.GONE && event.kind() != Kind.BACK) {
                lastSign.merge(event.node(), event.at(), Math::max);
            }
        }

        private Operation operation(Event event) {
            return operations.computeIfAbsent(
                    new Id(event.operation(), event.key()),
                    id -> new Operation(event.node(), id.operation(), id.key()));
        }

        History history() {
            changes.values().forEach(list -> list.sort(Comparator.comparingLong(Event::at)));
            for (Operation operation : operations.values()) {
                List<Event> ofHolder = changes.getOrDefault(new Holder(operation.node, operation.key), List.of());
                if (operation.isGranted() && !ofHolder.isEmpty()) {
                    cut(operation, ofHolder);
                }
            }
            return new History(
                    List.copyOf(operations.values()), reigns, pauses, settings, failOvers, reports, samples, lastSign);
        }

        /** @param changes in the order of time */
        private static void cut(Operation operation, List<Event> changes) {
            for (int i = 0; i < changes.size(); i++) {
                Event change = changes.get(i);
                if (change.kind() == Kind.GONE && operation.granted < end(changes, i)) {
                    operation.gone = Math.max(change.at(), operation.granted);
                    return;
                }
            }
        }

        private static long end(List<Event> changes, int gone) {
            long known = changes.get(gone).number();
            return known >= 0
                    ? known
                    : changes.subList(gone, changes.size()).stream()
                            .filter(change -> change.kind() == Kind.BACK)
                            .mapToLong(Event::at)
                            .findFirst()
                            .orElse(Long.MAX_VALUE);
        }
    }

    /** @return how many locks were granted */
    public long grants() {
        return operations.stream().filter(Operation::isGranted).count();
    }

    /** @return how many calls there were; one for several keys is one */
    public long calls() {
        return callsUntil(Long.MAX_VALUE);
    }

    /** @return how many calls there were until then */
    public long callsUntil(long time) {
        return operations.stream()
                .filter(operation -> operation.asked <= time)
                .mapToLong(operation -> operation.number)
                .distinct()
                .count();
    }

    /** @return of the calls that waited while another node called for their key: how many there were, and how many were overtaken */
    public String orderAcrossNodes() {
        Arrivals.Overtaken figures = new Arrivals(this).acrossNodes();
        return "%d of %d".formatted(figures.overtaken(), figures.calls());
    }

    boolean isForOneKey(Operation call) {
        return operations.stream().filter(one -> one.number == call.number).count() == 1;
    }

    long lastSign(int node) {
        return lastSign.getOrDefault(node, 0L);
    }

    Map<String, List<Operation>> byKey() {
        return operations.stream().collect(Collectors.groupingBy(operation -> operation.key));
    }

    /** For how long a node stood still between two times. */
    long paused(int node, long from, long to) {
        return pauses.stream()
                .filter(pause -> pause.node() == node && pause.at() >= from && pause.at() - pause.number() <= to)
                .mapToLong(Event::number)
                .sum();
    }

    /** @return whether the clock of the database was set forward between two times */
    boolean isSetForward(long from, long to) {
        return set(from, to).anyMatch(by -> by > 0);
    }

    /** @return by how much that clock was set back between two times */
    long setBack(long from, long to) {
        return -set(from, to).filter(by -> by < 0).sum();
    }

    private LongStream set(long from, long to) {
        return settings.stream()
                .filter(setting -> setting.at() >= from && setting.at() <= to)
                .mapToLong(Event::number);
    }

    /** @return by strategy and mode: calls, grants, commits, refused for want of the lock, and failures */
    public Map<String, long[]> figures() {
        Map<String, long[]> figures = new TreeMap<>();
        for (Operation operation : operations) {
            long[] row = figures.computeIfAbsent(operation.strategy(), name -> new long[5]);
            row[0]++;
            row[1] += operation.isGranted() ? 1 : 0;
            row[2] += operation.outcome == Kind.COMMITTED ? 1 : 0;
            row[3] += operation.why.equals("busy") ? 1 : 0;
            row[4] += !operation.why.isEmpty() && !operation.why.equals("busy") ? 1 : 0;
        }
        return figures;
    }
}
