package io.rowlock.verification.node;

import java.nio.file.Path;
import java.util.List;

/**
 * Arguments of a node's process.
 *
 * @param contender whose locks it uses
 * @param number of the process in the history
 * @param seed says what it does
 * @param histories a directory for its history
 * @param database a JDBC URL
 * @param redis a URL
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
                Integer.parseInt(texts[6]),
                Integer.parseInt(texts[7]),
                texts[8]);
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
                Integer.toString(threads),
                Integer.toString(quick),
                uses);
    }
}
