package io.rowlock.stress;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** A few keys everybody wants, and many that are idle for long enough to be removed and made again. */
record Keys(List<String> hot, List<String> cold) {
    static Keys of(String prefix) {
        return new Keys(named(prefix + "-hot-", 3), named(prefix + "-cold-", 12));
    }

    /** So few that there is a queue for each. */
    static Keys wanted(String prefix) {
        return new Keys(named(prefix + "-hot-", 3), named(prefix + "-cold-", 2));
    }

    private static List<String> named(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
    }

    List<String> all() {
        List<String> all = new ArrayList<>(hot);
        all.addAll(cold);
        return all;
    }

    String any(Dice dice) {
        return dice.of(dice.percent(60) ? hot : cold);
    }
}
