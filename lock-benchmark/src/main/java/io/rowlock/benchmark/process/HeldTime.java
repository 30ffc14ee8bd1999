package io.rowlock.benchmark.process;

import java.util.Arrays;
import java.util.List;

/**
 * When a lock was held, by the machine's monotonic clock.
 *
 * @param acquired when acquire had returned
 * @param releasing when release was called
 * @param released when release had returned
 */
public record HeldTime(long acquired, long releasing, long released) {

    public String text() {
        return acquired + ":" + releasing + ":" + released;
    }

    public static List<HeldTime> parse(String text) {
        return text.isEmpty()
                ? List.of()
                : Arrays.stream(text.split(" ", -1)).map(HeldTime::parseOne).toList();
    }

    private static HeldTime parseOne(String text) {
        String[] times = text.split(":", -1);
        return new HeldTime(Long.parseLong(times[0]), Long.parseLong(times[1]), Long.parseLong(times[2]));
    }
}
