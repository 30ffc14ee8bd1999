package io.rowlock.verification.node;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Arguments of a node's process.
 *
 * @param contender whose locks it uses
 * @param number of the process in the history
 * @param seed says what it does
 * @param histories a directory for its history
 * @param database a JDBC URL
 * @param redis a URL, or {@code sentinel:} or {@code cluster:} and addresses
 * @param routes from ports of Redis to those through which they are reached
 * @param threads how many work
 * @param quick how many more work without a pause
 * @param uses a pattern of what they do
 */
public record Arguments(
        String contender,
        int number,
        long seed,
        Path histories,
        String database,
        String redis,
        Map<Integer, Integer> routes,
        int threads,
        int quick,
        String uses) {
    static Arguments parse(String[] texts) {
        return new Arguments(
                texts[0],
                Integer.parseInt(texts[1]),
                Long.parseLong(texts[2]),
                Path.of(texts[3]),
                texts[4],
                texts[5],
                Stream.of(texts[6].split(",", -1))
                        .map(route -> route.split("=", -1))
                        .collect(Collectors.toMap(
                                route -> Integer.valueOf(route[0]), route -> Integer.valueOf(route[1]))),
                Integer.parseInt(texts[7]),
                Integer.parseInt(texts[8]),
                texts[9]);
    }

    /** @return what {@link #parse} reads */
    public List<String> texts() {
        return List.of(
                contender,
                Integer.toString(number),
                Long.toString(seed),
                histories.toString(),
                database,
                redis,
                routes.entrySet().stream().map(Map.Entry::toString).collect(Collectors.joining(",")),
                Integer.toString(threads),
                Integer.toString(quick),
                uses);
    }
}
