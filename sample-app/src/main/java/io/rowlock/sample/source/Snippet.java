package io.rowlock.sample.source;

import java.util.List;
import java.util.stream.IntStream;

/**
 * A method as it stands in the source, with its annotations and without its comment.
 *
 * @param file the file's name
 * @param line the number of the first line
 * @param code the lines, without the indentation of the class
 */
public record Snippet(String file, int line, String code) {

    private static final String INDENT = "    ";

    /**
     * Cuts it out.
     *
     * @throws IllegalArgumentException if there is no such method
     */
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
        List<String> cut = lines.subList(first, last + 1).stream()
                .map(line -> line.startsWith(INDENT) ? line.substring(INDENT.length()) : line)
                .toList();
        return new Snippet(file, first + 1, String.join("\n", cut));
    }

    private static boolean declares(String line, String method) {
        return line.startsWith(INDENT)
                && !line.startsWith(INDENT + " ")
                && line.contains(" " + method + "(")
                && line.endsWith("{");
    }
}
