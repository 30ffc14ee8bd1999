package io.rowlock.verification.history;

import io.rowlock.verification.history.Event.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The events of all threads of all nodes.
 *
 * @param operations the calls, each for one key
 * @param reigns when nodes led
 * @param pauses when nodes stood still
 * @param lastSign the last event of each node
 */
public record History(List<Operation> operations, List<Event> reigns, List<Event> pauses, Map<Integer, Long> lastSign) {

    /** @param directory where each process has written its own */
    public static History read(Path directory) throws IOException {
        List<Event> events = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(file -> file.toString().endsWith(".txt"))
                    .sorted()
                    .toList()) {
                // The last line of a killed process may be a part of one
                String text = Files.readString(file);
                text.substring(0, text.lastIndexOf('\n') + 1)
                        .lines()
                        .map(Event::parse)
                        .forEach(events::add);
            }
        }
        return of(events);
    }

    /** @param events in any order among nodes */
    public static History of(List<Event> events) {
        record Id(long operation, String key) {}
        Map<Id, Operation> operations = new LinkedHashMap<>();
        Map<Integer, Long> lastSign = new HashMap<>();
        List<Event> reigns = new ArrayList<>();
        List<Event> pauses = new ArrayList<>();
        for (Event event : events) {
            lastSign.merge(event.node(), event.at(), Math::max);
            if (event.kind() == Kind.LED) {
                reigns.add(event);
            } else if (event.kind() == Kind.PAUSED) {
                pauses.add(event);
            } else {
                operations
                        .computeIfAbsent(
                                new Id(event.operation(), event.key()),
                                id -> new Operation(event.node(), id.operation(), id.key()))
                        .add(event);
            }
        }
        return new History(List.copyOf(operations.values()), reigns, pauses, lastSign);
    }

    /** @return how many locks were granted */
    public long grants() {
        return operations.stream().filter(Operation::isGranted).count();
    }

    /** @return how many calls there were until then */
    public long operationsUntil(long time) {
        return operations.stream().filter(operation -> operation.asked <= time).count();
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
