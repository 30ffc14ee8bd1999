package io.rowlock.verification.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.verification.history.Event.Kind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlotTests {
    private static final long MINUTE = 60_000_000_000L;

    @Test
    void lineGoesFromTheFirstSampleToTheLast() {
        List<Event> samples = new ArrayList<>();
        for (int minute = 0; minute <= 10; minute++) {
            samples.add(new Event(MINUTE * (5 + minute), 1, 0, Kind.SAMPLE, "threads", "", minute == 10 ? 20 : 10));
        }
        assertThat(Plot.of(samples))
                .contains("<polyline points=\"60.0,102.6 82.6,102.6", "286.0,45.2\"")
                .contains(">threads<", ">20<", ">10 min<");
    }

    @Test
    void eachProcessHasALineAndEachMeasureAPanel() {
        List<Event> samples = new ArrayList<>();
        for (int node = 1; node <= 2; node++) {
            for (String measure : List.of("heap-kb", "files")) {
                samples.add(new Event(0, node, 0, Kind.SAMPLE, measure, "", node));
                samples.add(new Event(MINUTE, node, 0, Kind.SAMPLE, measure, "", node));
            }
        }
        String svg = Plot.of(samples);
        assertThat(svg.split("<polyline", -1)).hasSize(1 + 4);
        assertThat(svg.split("<g ", -1)).hasSize(1 + 6);
    }
}
