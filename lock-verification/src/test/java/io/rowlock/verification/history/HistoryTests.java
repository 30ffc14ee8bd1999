package io.rowlock.verification.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.verification.history.Event.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryTests {
    private final List<Event> events = new ArrayList<>();

    @TempDir
    Path directory;

    private void at(long at, int node, long operation, Kind kind, String key, String text, long number) {
        events.add(new Event(at, node, operation, kind, key, text, number));
    }

    @Test
    void processesAreReadButNoPartOfALine() throws IOException {
        Recorder one = new Recorder(1, directory);
        long operation = one.asked("lease:1", "X", 5);
        one.add(operation, Kind.GRANTED, "lease:1", "", 7);
        long until = Recorder.now();
        Recorder two = new Recorder(2, directory);
        two.asked("lease:2", "X", 5);
        two.sample("threads", 9);
        Files.writeString(
                directory.resolve("node-2.txt"),
                "99\t2\t8796093022210\tASKED\tlease:2\tX\t",
                StandardOpenOption.APPEND);
        Files.writeString(directory.resolve("node-2.out"), "no history");
        assertThat(History.read(directory, until).operations()).hasSize(1);
        History history = History.read(directory, Long.MAX_VALUE);
        assertThat(history.operations()).hasSize(2);
        assertThat(history.grants()).isEqualTo(1);
        assertThat(history.callsUntil(until)).isEqualTo(1);
        assertThat(history.callsUntil(Long.MAX_VALUE)).isEqualTo(2);
        assertThat(history.callsUntil(history.operations().get(0).asked)).isEqualTo(1);
        assertThat(history.samples()).extracting(Event::number).containsExactly(9L);
        assertThat(history.byKey()).containsOnlyKeys("lease:1", "lease:2");
    }

    @Test
    void figuresCountByStrategy() {
        at(1, 1, 1, Kind.ASKED, "rw-lease:1", "X", 5);
        at(2, 1, 1, Kind.GRANTED, "rw-lease:1", "", 1);
        at(3, 1, 1, Kind.COMMITTED, "rw-lease:1", "", -1);
        at(1, 1, 2, Kind.ASKED, "lease:2", "X", 5);
        at(2, 1, 2, Kind.REFUSED, "lease:2", "busy", -1);
        at(1, 1, 3, Kind.ASKED, "lease:3", "X", 5);
        at(2, 1, 3, Kind.REFUSED, "lease:3", "store", -1);
        at(1, 1, 4, Kind.ASKED, "lease:3", "X", 5);
        at(1, 1, 5, Kind.ASKED, "redis:3", "X", 5);
        assertThat(History.of(events).figures())
                .hasEntrySatisfying("lease", row -> assertThat(row).containsExactly(4, 1, 1, 1, 1))
                .hasEntrySatisfying("redis", row -> assertThat(row).containsExactly(1, 0, 0, 0, 0));
    }

    @Test
    void callForSeveralKeysIsOne() {
        at(1, 1, 1, Kind.ASKED, "lease:0", "X", -1);
        at(1, 1, 1, Kind.ASKED, "lease:1", "X", -1);
        at(2, 1, 2, Kind.ASKED, "lease:0", "X", -1);
        assertThat(History.of(events).calls()).isEqualTo(2);
        assertThat(History.of(events).callsUntil(1)).isEqualTo(1);
    }

    @Test
    void pausesCountThatTouchATimeOfTheNode() {
        at(50, 1, 0, Kind.PAUSED, "", "", 10);
        at(80, 1, 0, Kind.PAUSED, "", "", 20);
        at(50, 2, 0, Kind.PAUSED, "", "", 30);
        History history = History.of(events);
        assertThat(history.paused(1, 0, 100)).isEqualTo(30);
        assertThat(history.paused(1, 50, 60)).isEqualTo(30);
        assertThat(history.paused(1, 51, 60)).isEqualTo(20);
        assertThat(history.paused(1, 0, 40)).isEqualTo(10);
        assertThat(history.paused(1, 0, 39)).isZero();
    }

    @Test
    void lastSignIsOfTheProcessItself() {
        at(10, 1, 1, Kind.ASKED, "row-lock:1", "X", 5);
        at(20, 1, 0, Kind.GONE, "row-lock:1", "", -1);
        at(30, 1, 0, Kind.BACK, "row-lock:1", "", -1);
        assertThat(History.of(events).lastSign(1)).isEqualTo(10);
        assertThat(History.of(events).lastSign(2)).isZero();
    }

    @Test
    void endsOfALockAreAppliedInTheOrderOfTime() {
        at(1, 1, 1, Kind.ASKED, "row-lock:1", "X", 5);
        at(2, 1, 1, Kind.GRANTED, "row-lock:1", "", 1);
        at(2, 1, 1, Kind.HELD, "row-lock:1", "", 90);
        at(60, 1, 0, Kind.GONE, "row-lock:1", "", -1);
        at(50, 1, 0, Kind.GONE, "row-lock:1", "", -1);
        Operation operation = History.of(events).operations().get(0);
        assertThat(operation.claimEnd()).isEqualTo(50);
        assertThat(operation.isOfNothing()).isFalse();
        assertThat(operation).hasToString("X row-lock:1 of node 1, operation 1, token 1");
    }

    @Test
    void lockIsAnotherFromTheMomentOnInWhichItIsBack() {
        at(5, 1, 0, Kind.GONE, "row-lock:1", "", -1);
        at(10, 1, 0, Kind.BACK, "row-lock:1", "", -1);
        at(1, 1, 1, Kind.ASKED, "row-lock:1", "X", 5);
        at(10, 1, 1, Kind.GRANTED, "row-lock:1", "", 1);
        at(2, 1, 2, Kind.ASKED, "row-lock:1", "X", 5);
        at(5, 1, 2, Kind.GRANTED, "row-lock:1", "", 1);
        assertThat(History.of(events).operations())
                .extracting(Operation::isOfNothing)
                .containsExactly(false, true);
    }
}
