package io.rowlock;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds what was probably meant by a name that nobody knows. */
public final class Misspelling {
    private Misspelling() {}

    /**
     * Finds the nearest name.
     *
     * @param name the name that is not known
     * @param known the names that are
     * @return the one with the fewest letters to change, or empty if that would be half of them or more
     */
    public static Optional<String> of(String name, Collection<String> known) {
        return known.stream()
                .min(Comparator.comparingInt((String each) -> changes(name, each))
                        .thenComparing(Comparator.naturalOrder()))
                .filter(nearest -> changes(name, nearest) * 2 < Math.max(name.length(), nearest.length()));
    }

    /** Levenshtein's distance. */
    private static int changes(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int changed = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[to.length()];
    }
}
