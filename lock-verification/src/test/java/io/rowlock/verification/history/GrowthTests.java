package io.rowlock.verification.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.rowlock.verification.history.Event.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class GrowthTests {
    private static List<Event> samples(int node, String key, int count, IntToLongFunction value) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Event(i, node, 0, Kind.SAMPLE, key, "", value.applyAsLong(i)))
                .toList();
    }

    @Test
    void whatStaysBetweenTwoBoundsDoesNotGrow() {
        assertThat(Growth.find(samples(1, "heap-kb", 60, i -> 40_000 + i % 7 * 500)))
                .isEmpty();
        assertThat(Growth.find(samples(1, "heap-kb", 60, i -> i < 25 ? i * 2_000L : 50_000)))
                .isEmpty();
    }

    @Test
    void whatAFaultHasClosedMayComeBack() {
        assertThat(Growth.find(samples(1, "files", 40, i -> i < 20 || i >= 30 ? 175 : 133)))
                .isEmpty();
    }

    @Test
    void poolsThatGrowWithTheLoadAgainDoNotGrow() {
        long[] seen = {
            6, 128, 137, 174, 206, 198, 144, 137, 150, 167, 160, 165, 185, 218, 149, 138, 145, 153, 151, 162, 105, 140,
            163, 173, 196, 219, 203, 207, 209, 194, 150, 205, 0
        };
        assertThat(Growth.find(samples(0, "connections", seen.length, i -> seen[i])))
                .isEmpty();
        assertThat(Growth.find(samples(0, "connections", 60, i -> 100 + i * 2L)))
                .hasSize(1);
    }

    @Test
    void slowLeakIsFound() {
        assertThat(Growth.find(samples(2, "heap-kb", 60, i -> 20_000 + i * 600L)))
                .extracting(Violation::rule, Violation::text)
                .containsExactly(tuple("grows", "heap-kb of node 2: from 42200 to 51200"));
        assertThat(Growth.find(samples(2, "threads", 60, i -> 30 + i))).hasSize(1);
    }

    @Test
    void eachProcessIsComparedWithItselfAlone() {
        List<Event> all = new ArrayList<>(samples(1, "threads", 30, i -> 30));
        all.addAll(samples(2, "threads", 30, i -> 90));
        assertThat(Growth.find(all)).isEmpty();
    }

    @Test
    void processThatHasJustStartedIsNotJudged() {
        assertThat(Growth.find(samples(1, "threads", Growth.LEAST - 1, i -> i * 10L)))
                .isEmpty();
    }
}
