package io.rowlock.verification.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.verification.history.Event.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Histories of which it is known what is wrong with them. Times are in milliseconds. */
class JudgeTests {
    private String key = "lease:1";

    private final List<Event> events = new ArrayList<>();
    private final List<Write> writes = new ArrayList<>();

    private void at(long millis, int node, long operation, Kind kind, String text, long number) {
        events.add(new Event(millis * 1_000_000, node, operation, kind, key, text, number));
    }

    private void claim(long operation, String mode, long asked, long granted, long token, long until) {
        at(asked, (int) operation, operation, Kind.ASKED, mode, 3_000_000_000L);
        at(granted, (int) operation, operation, Kind.GRANTED, "", token);
        at(granted, (int) operation, operation, Kind.HELD, "", until * 1_000_000);
    }

    private void increment(long operation, long from, long wrote, Kind outcome, long answered, long read) {
        at(from, (int) operation, operation, Kind.READ, "", read);
        at(wrote, (int) operation, operation, Kind.WROTE, "", read + 1);
        at(answered, (int) operation, operation, outcome, "", -1);
        if (outcome == Kind.COMMITTED) {
            writes.add(new Write(key, read + 1, operation));
        }
    }

    private List<String> rules() {
        Judge.Limits limits =
                new Judge.Limits(Duration.ofSeconds(3), Duration.ofSeconds(2), Set.of("lease", "row-lock"));
        return Judge.judge(History.of(events), writes, limits).stream()
                .map(Violation::rule)
                .toList();
    }

    @Test
    void claimsOneAfterTheOtherAreFine() {
        claim(1, "X", 0, 10, 1, 100);
        claim(2, "X", 20, 101, 2, 200);
        assertThat(rules()).isEmpty();
    }

    @Test
    void secondHolderIsFound() {
        claim(1, "X", 0, 10, 1, 100);
        claim(2, "X", 20, 99, 2, 200);
        assertThat(rules()).containsExactly("two holders");
    }

    @Test
    void claimEndsWithItsRelease() {
        claim(1, "X", 0, 10, 1, 100);
        at(50, 1, 1, Kind.ENDED, "", -1);
        claim(2, "X", 20, 51, 2, 200);
        assertThat(rules()).isEmpty();
    }

    @Test
    void secondHolderIsFoundWhileTheSessionsOfBothLive() {
        key = "row-lock:1";
        claim(1, "X", 0, 10, 1, 100);
        claim(2, "X", 20, 50, 2, 200);
        at(50, 3, 0, Kind.GONE, "", -1);
        at(101, 1, 0, Kind.GONE, "", -1);
        assertThat(rules()).containsExactly("two holders");
        key = "row-lock:2";
        at(40, 1, 0, Kind.GONE, "", -1);
        assertThat(rules()).containsExactly("two holders");
    }

    @Test
    void claimEndsWithItsSessionAndSoDoesTheRightToCommit() {
        key = "row-lock:1";
        claim(1, "X", 0, 10, 1, 100);
        at(40, 1, 0, Kind.GONE, "", -1);
        claim(2, "X", 20, 41, 2, 45);
        assertThat(rules()).isEmpty();
        increment(1, 11, 42, Kind.COMMITTED, 43, 0);
        assertThat(rules()).containsExactly("commit of an overtaken holder");
    }

    @Test
    void claimBeforeTheEndOfTheSessionIsJudged() {
        key = "row-lock:1";
        claim(1, "X", 0, 10, 1, 100);
        at(40, 1, 0, Kind.GONE, "", -1);
        claim(2, "X", 20, 39, 2, 45);
        assertThat(rules()).containsExactly("two holders");
    }

    @Test
    void lockThatIsHandedOnAfterTheEndOfItsSessionIsNone() {
        key = "row-lock:1";
        at(30, 4, 0, Kind.GONE, "", -1);
        claim(4, "X", 0, 40, 2, 100);
        claim(5, "X", 20, 41, 3, 100);
        assertThat(rules()).isEmpty();
    }

    @Test
    void lockInAnotherSessionIsJudged() {
        key = "row-lock:1";
        at(30, 4, 0, Kind.GONE, "", -1);
        at(35, 4, 0, Kind.BACK, "", -1);
        claim(4, "X", 0, 40, 2, 100);
        claim(5, "X", 20, 41, 3, 100);
        assertThat(rules()).containsExactly("two holders");
    }

    @Test
    void leaseThatAnOperatorHasEndedIsNoneUntilItsProcessKnows() {
        claim(1, "X", 0, 10, 1, 100);
        at(40, 1, 0, Kind.GONE, "", 60_000_000);
        claim(2, "X", 20, 41, 2, 200);
        assertThat(rules()).isEmpty();
        at(199, 1, 9, Kind.ASKED, "X", 3_000_000_000L);
        at(199, 1, 9, Kind.GRANTED, "", 3);
        at(199, 1, 9, Kind.HELD, "", 300_000_000);
        assertThat(rules()).containsExactly("two holders");
    }

    @Test
    void readersMayOverlapButNoWriter() {
        claim(1, "S", 0, 10, 1, 100);
        claim(2, "S", 0, 20, 1, 100);
        assertThat(rules()).isEmpty();
        claim(3, "X", 0, 99, 2, 200);
        assertThat(rules()).containsExactly("two holders", "two holders");
    }

    @Test
    void onePermitTooManyIsFound() {
        claim(1, "P2", 0, 10, 1, 100);
        claim(2, "P2", 0, 20, 1, 100);
        assertThat(rules()).isEmpty();
        claim(3, "P3", 0, 30, 1, 100);
        assertThat(rules()).containsExactly("too many permits");
    }

    @Test
    void tokenThatDoesNotGrowIsFound() {
        claim(1, "X", 0, 10, 7, 20);
        claim(2, "X", 30, 40, 7, 50);
        assertThat(rules()).containsExactly("token did not grow");
    }

    @Test
    void commitOfAnOvertakenHolderIsFound() {
        claim(1, "X", 0, 10, 1, 20);
        claim(2, "X", 0, 30, 2, 40);
        increment(1, 11, 31, Kind.COMMITTED, 33, 0);
        assertThat(rules()).containsExactly("commit of an overtaken holder");
    }

    @Test
    void lostUpdateIsFoundByBothJudges() {
        claim(1, "X", 0, 10, 1, 20);
        increment(1, 11, 12, Kind.COMMITTED, 13, 0);
        claim(2, "X", 14, 30, 2, 40);
        increment(2, 31, 32, Kind.COMMITTED, 33, 0);
        assertThat(rules()).containsExactlyInAnyOrder("lost update", "not linearizable");
    }

    @Test
    void commitThatIsGoneIsFound() {
        claim(1, "X", 0, 10, 1, 20);
        increment(1, 11, 12, Kind.COMMITTED, 13, 0);
        writes.clear();
        assertThat(rules()).containsExactly("commit is gone");
    }

    @Test
    void commitThatWasReportedAsRefusedIsFound() {
        claim(1, "X", 0, 10, 1, 20);
        increment(1, 11, 12, Kind.ROLLED_BACK, 13, 0);
        writes.add(new Write(key, 1, 1));
        assertThat(rules()).containsExactly("committed though refused");
    }

    @Test
    void waitBeyondTheDeadlineIsFoundUnlessTheProcessStoodStill() {
        at(0, 1, 1, Kind.ASKED, "X", 3_000_000_000L);
        at(5_100, 1, 1, Kind.REFUSED, "store", -1);
        assertThat(rules()).containsExactly("waited beyond its deadline");
        at(4_000, 1, 9, Kind.PAUSED, "", 2_000_000_000L);
        assertThat(rules()).isEmpty();
    }

    @Test
    void keyThatStaysTakenIsFound() {
        claim(1, "X", 0, 10, 1, 100);
        at(50, 1, 1, Kind.ENDED, "", -1);
        at(5_000, 2, 2, Kind.ASKED, "X", 3_000_000_000L);
        at(8_000, 2, 2, Kind.REFUSED, "busy", -1);
        assertThat(rules()).containsExactly("key stays taken");
    }

    @Test
    void callThatIsAnsweredLaterMayHaveTheKeyBefore() {
        claim(1, "X", 5_000, 8_100, 1, 8_200);
        at(5_000, 2, 2, Kind.ASKED, "X", 3_000_000_000L);
        at(8_000, 2, 2, Kind.REFUSED, "busy", -1);
        assertThat(rules()).isEmpty();
    }

    @Test
    void minimumThatWasCutShortIsFound() {
        claim(1, "X", 0, 10, 1, 20);
        at(10, 1, 1, Kind.MINIMUM, "", 1_000_000_000L);
        claim(2, "X", 100, 500, 2, 600);
        assertThat(rules()).containsExactly("minimum cut short");
    }

    @Test
    void secondLeaderAndATermThatFallsAreFound() {
        at(100, 1, 0, Kind.LED, "0", 5);
        at(200, 2, 0, Kind.LED, "99000000", 6);
        assertThat(rules()).containsExactly("two leaders");
        at(300, 1, 0, Kind.LED, "201000000", 4);
        assertThat(rules()).containsExactly("two leaders", "term fell");
    }
}
