package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Who led when, as the processes say themselves. Thread-safe. */
final class Chronicle {
    private final Map<String, Reign> reigns = new ConcurrentHashMap<>();

    /** What is known of a reign by now. */
    void note(Reign reign) {
        reigns.put(reign.process() + "/" + reign.term(), reign);
    }

    /** In the order in which they began. */
    List<Reign> all() {
        return reigns.values().stream()
                .sorted(Comparator.comparingLong(Reign::from))
                .toList();
    }

    long lastTerm() {
        return reigns.values().stream().mapToLong(Reign::term).max().orElse(0);
    }

    /** The end of a process's last reign. */
    long lastLed(String process) {
        return reigns.values().stream()
                .filter(reign -> reign.process().equals(process))
                .mapToLong(Reign::until)
                .max()
                .orElseThrow();
    }

    /** How long after a moment the next reign began. */
    Optional<Duration> nextAfter(long moment) {
        return all().stream()
                .map(Reign::from)
                .filter(from -> from - moment > 0)
                .findFirst()
                .map(from -> Duration.ofNanos(from - moment));
    }

    /** Each reign began after all before it had ended, and with a greater term. */
    void assertThatNeverTwoLedAndTermsGrew() {
        Reign last = null;
        for (Reign next : all()) {
            if (last != null) {
                assertThat(next.from()).as("%s after %s", next, last).isGreaterThan(last.until());
                assertThat(next.term()).as("%s after %s", next, last).isGreaterThan(last.term());
            }
            last = next;
        }
    }
}
