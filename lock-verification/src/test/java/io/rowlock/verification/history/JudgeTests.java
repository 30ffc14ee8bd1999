package io.rowlock.verification.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

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
        return found().stream().map(Violation::rule).toList();
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

    /** The thread that acquires what has expired by such a clock is the holder; the other one only does not know yet. */
    @Test
    void secondHolderIsExpectedOnceTheServersClockIsSetForward() {
        claim(1, "X", 0, 10, 1, 3_000);
        at(90, 0, 0, Kind.SET, "", 2_000_000_000);
        claim(2, "X", 20, 100, 2, 3_100);
        assertThat(rules()).isEmpty();
        increment(1, 80, 150, Kind.COMMITTED, 160, 0);
        assertThat(rules()).containsExactly("commit of an overtaken holder");
    }

    @Test
    void secondHolderIsFoundWhenTheServersClockIsSetBackOrDoesNotMatter() {
        claim(1, "X", 0, 10, 1, 3_000);
        at(90, 0, 0, Kind.SET, "", -2_000_000_000);
        claim(2, "X", 20, 100, 2, 3_100);
        assertThat(rules()).containsExactly("two holders");
        events.clear();
        key = "redis:1";
        claim(1, "X", 0, 10, 1, 3_000);
        at(90, 0, 0, Kind.SET, "", 2_000_000_000);
        claim(2, "X", 20, 100, 2, 3_100);
        assertThat(rules()).containsExactly("two holders");
    }

    /** As docs/strategies.md says. */
    @Test
    void tokensOfRowLocksAloneFallWithTheServersClock() {
        at(15, 0, 0, Kind.SET, "", -2_000_000_000);
        claim(1, "X", 0, 10, 2, 20);
        claim(2, "X", 30, 40, 1, 50);
        assertThat(rules()).containsExactly("token did not grow");
        events.clear();
        key = "row-lock:1";
        at(15, 0, 0, Kind.SET, "", -2_000_000_000);
        claim(1, "X", 0, 10, 2, 20);
        claim(2, "X", 30, 40, 1, 50);
        assertThat(rules()).isEmpty();
    }

    @Test
    void lockThatExpiredByTheServersClockIsHandedOnButNobodyCommitsUnderIt() {
        claim(1, "X", 0, 10, 1, 100);
        at(90, 0, 0, Kind.SET, "", 2_000_000_000);
        claim(2, "X", 20, 100, 5, 3_100);
        claim(3, "X", 95, 120, 2, 3_000);
        claim(4, "X", 95, 130, Operation.NEVER, 3_000);
        increment(4, 131, 132, Kind.ROLLED_BACK, 133, 0);
        increment(2, 110, 150, Kind.COMMITTED, 160, 0);
        assertThat(rules()).isEmpty();
        claim(5, "X", 95, 140, Operation.NEVER, 3_000);
        increment(5, 141, 142, Kind.COMMITTED, 143, 0);
        assertThat(rules()).contains("commit of an overtaken holder");
    }

    // ---- another server of Redis leads

    /** The new leader leads since 1,000, the former one until 1,100; new tokens are greater than 100. */
    private void failedOver(int slot) {
        events.add(new Event(1_100_000_000, 0, 0, Kind.FAILED_OVER, slot + "-" + slot, "1000000000", 100));
    }

    /** The slot of "redis:1", by {@code CLUSTER KEYSLOT}. */
    private static final int SLOT = 3_984;

    @Test
    void secondHolderIsExpectedIfTheNextLeaderMayNotKnowTheFirst() {
        key = "redis:1";
        claim(1, "X", 0, 990, 50, 3_990);
        claim(2, "X", 0, 1_200, 200, 4_200);
        assertThat(rules()).containsExactly("two holders");
        failedOver(SLOT);
        assertThat(rules()).isEmpty();
    }

    @Test
    void secondHolderIsFoundBeforeAnotherMayHaveLed() {
        key = "redis:1";
        claim(1, "X", 0, 900, 50, 3_900);
        claim(2, "X", 0, 999, 60, 3_999);
        failedOver(SLOT);
        assertThat(rules()).containsExactly("two holders");
    }

    @Test
    void secondHolderIsFoundOnceTheFirstWasRenewedByTheNextLeader() {
        key = "redis:1";
        claim(1, "X", 0, 990, 50, 4_101);
        claim(2, "X", 0, 1_200, 200, 4_200);
        failedOver(SLOT);
        assertThat(rules()).containsExactly("two holders");
    }

    @Test
    void secondHolderIsFoundIfTheNextLeaderHasGrantedBoth() {
        key = "redis:1";
        claim(1, "X", 0, 1_200, 150, 4_000);
        claim(2, "X", 0, 1_300, 200, 4_000);
        failedOver(SLOT);
        assertThat(rules()).containsExactly("two holders");
    }

    /** Both lead for a moment, and the one that came first is the one that lasts. */
    @Test
    void secondHolderIsExpectedFromTheFormerLeaderUntilThatFollows() {
        key = "redis:1";
        claim(1, "X", 0, 1_050, 150, 9_000);
        claim(2, "X", 0, 1_090, 90, 4_050);
        failedOver(SLOT);
        assertThat(rules()).isEmpty();
        at(1_095, 2, 2, Kind.HELD, "", 4_101_000_000L);
        assertThat(rules()).containsExactly("two holders");
    }

    @Test
    void failOverOfOtherKeysOrStrategiesExplainsNothing() {
        key = "redis:1";
        claim(1, "X", 0, 990, 50, 3_990);
        claim(2, "X", 0, 1_200, 200, 4_200);
        failedOver(SLOT + 1);
        assertThat(rules()).containsExactly("two holders");
        key = "lease:1";
        claim(3, "X", 0, 990, 50, 3_990);
        claim(4, "X", 0, 1_200, 200, 4_200);
        for (int slot = 0; slot < 16_384; slot++) {
            failedOver(slot);
        }
        assertThat(rules()).containsExactly("two holders");
    }

    @Test
    void permitsOfTheFormerLeaderDoNotCountForTheNext() {
        key = "redis:1";
        claim(1, "P1", 0, 990, 50, 3_990);
        claim(2, "P1", 0, 1_200, 50, 4_200);
        assertThat(rules()).containsExactly("too many permits");
        failedOver(SLOT);
        assertThat(rules()).isEmpty();
        claim(3, "P1", 0, 1_300, 50, 4_200);
        assertThat(rules()).containsExactly("too many permits");
    }

    @Test
    void failOverExplainsNoTokenAndNoLostUpdate() {
        key = "redis:1";
        claim(1, "X", 0, 990, 50, 3_990);
        claim(2, "X", 1_150, 1_200, 49, 4_200);
        failedOver(SLOT);
        assertThat(rules()).containsExactly("token did not grow");
        increment(1, 995, 1_210, Kind.COMMITTED, 1_220, 0);
        increment(2, 1_205, 1_206, Kind.COMMITTED, 1_230, 0);
        assertThat(rules())
                .containsExactly("token did not grow", "lost update", "commits out of order", "not linearizable");
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
    void lockThatWasGoneBeforeItsGrantWasHeardOvertakesNoCommit() {
        at(30, 4, 0, Kind.GONE, "", 3_000_000_000L);
        claim(5, "X", 20, 39, -1, 100);
        claim(4, "X", 0, 40, 2, 100);
        increment(5, 40, 41, Kind.COMMITTED, 42, 0);
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

    /** Node 2 had the lock before, and lost it while its transaction waited for a connection. */
    @Test
    void bodyThatBeganWithoutItsLockAndWasRolledBackOvertakesNoCommit() {
        claim(1, "X", 5, 10, -1, 100);
        increment(1, 11, 31, Kind.COMMITTED, 33, 0);
        at(0, 2, 2, Kind.ASKED, "X", -1);
        at(20, 2, 2, Kind.GRANTED, "", -1);
        increment(2, 21, 22, Kind.ROLLED_BACK, 23, 0);
        assertThat(rules()).isEmpty();
    }

    @Test
    void commitAfterThatOfALaterHolderIsFound() {
        key = "redis:1";
        claim(1, "X", 0, 10, 1, 20);
        claim(2, "X", 0, 30, 2, 40);
        increment(1, 11, 33, Kind.COMMITTED, 34, 0);
        increment(2, 35, 36, Kind.COMMITTED, 37, 1);
        assertThat(rules()).isEmpty();
        claim(3, "X", 38, 50, 4, 60);
        claim(4, "X", 38, 61, 5, 70);
        increment(4, 62, 63, Kind.COMMITTED, 64, 2);
        increment(3, 65, 66, Kind.ROLLED_BACK, 67, 3);
        assertThat(rules()).isEmpty();
        claim(5, "X", 38, 55, 3, 60);
        increment(5, 68, 69, Kind.COMMITTED, 70, 3);
        assertThat(rules()).containsExactly("two holders", "commits out of order");
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

    // ---- what listeners and the log say

    private void heard(long millis, int node, long operation, String type, long token) {
        at(millis, node, operation, Kind.HEARD, type, token);
    }

    /** A call of node 1 whose body knows no token, and begins when its transaction has a connection. */
    private void guarded(long operation, long asked, long heard, long token, long began) {
        at(asked, 1, operation, Kind.ASKED, "X", 3_000_000_000L);
        heard(heard, 1, operation, "ACQUIRED", token);
        at(began, 1, operation, Kind.GRANTED, "", -1);
    }

    @Test
    void grantIsWhenTheListenerHearsOfItWithItsToken() {
        guarded(1, 0, 4_999, 7, 5_900);
        assertThat(rules()).isEmpty();
        claim(2, "X", 6_000, 6_100, 7, 6_200);
        assertThat(rules()).containsExactly("token did not grow");
        events.clear();
        guarded(1, 0, 5_001, 7, 5_002);
        assertThat(rules()).containsExactly("waited beyond its deadline");
    }

    @Test
    void claimBeginsWhenTheListenerHearsOfIt() {
        claim(2, "X", 0, 10, 1, 100);
        guarded(1, 0, 99, 2, 120);
        assertThat(rules()).isEmpty();
        at(120, 1, 1, Kind.HELD, "", 130_000_000);
        assertThat(rules()).containsExactly("two holders");
    }

    @Test
    void bodyThatNeverBeganOvertakesNoCommit() {
        claim(2, "X", 0, 10, 1, 100);
        increment(2, 11, 90, Kind.COMMITTED, 95, 0);
        at(0, 1, 1, Kind.ASKED, "X", 3_000_000_000L);
        heard(80, 1, 1, "ACQUIRED", 2);
        at(300, 1, 1, Kind.REFUSED, "CannotCreateTransactionException", -1);
        assertThat(rules()).isEmpty();
        at(85, 1, 1, Kind.GRANTED, "", -1);
        assertThat(rules()).containsExactly("commit of an overtaken holder");
    }

    @Test
    void callThatFailedAfterItsGrantKeepsNoKey() {
        at(0, 1, 1, Kind.ASKED, "X", 3_000_000_000L);
        heard(10, 1, 1, "ACQUIRED", 2);
        at(50, 1, 1, Kind.REFUSED, "CannotCreateTransactionException", -1);
        at(7_000, 1, 0, Kind.SAMPLE, "", 1);
        refusedAt(8_000);
        assertThat(rules()).containsExactly("key stays taken");
    }

    @Test
    void transactionThatMayHaveBeenCommittedKeepsItsRowsWhileItsProcessLives() {
        guarded(1, 0, 10, 2, 11);
        increment(1, 12, 13, Kind.UNKNOWN, 40, 0);
        events.remove(events.size() - 1);
        at(50, 1, 1, Kind.REFUSED, "TransactionSystemException", -1);
        at(7_000, 1, 0, Kind.SAMPLE, "", 1);
        refusedAt(8_000);
        assertThat(rules()).isEmpty();
    }

    /** Of two keys it had this one. */
    @Test
    void keyThatACallHadIsNotBusyForIt() {
        at(4_050, 1, 1, Kind.ASKED, "X", 3_000_000_000L);
        heard(4_060, 1, 1, "ACQUIRED", 2);
        at(7_050, 1, 1, Kind.REFUSED, "busy", -1);
        key = "lease:2";
        at(4_050, 1, 1, Kind.ASKED, "X", 3_000_000_000L);
        at(7_050, 1, 1, Kind.REFUSED, "busy", -1);
        assertThat(found()).extracting(Violation::text).containsExactly("X lease:2 of node 1, operation 1, token -1");
    }

    @Test
    void transactionWaitsOnAConnectionOfTheApplicationAndItsKeyHasNoTtl() {
        key = "transaction:1";
        at(0, 1, 1, Kind.ASKED, "X", 3_000_000_000L);
        at(14_000, 1, 1, Kind.REFUSED, "busy", -1);
        assertThat(rules()).isEmpty();
        at(0, 1, 2, Kind.ASKED, "X", 3_000_000_000L);
        at(14_001, 1, 2, Kind.REFUSED, "busy", -1);
        assertThat(rules()).containsExactly("waited beyond its deadline");
    }

    @Test
    void grantWithoutAnEventIsFound() {
        claim(1, "X", 0, 10, 2, 100);
        assertThat(rules()).isEmpty();
        heard(0, 1, 0, "ACQUIRED", 2);
        assertThat(rules()).containsExactly("grant without an event");
    }

    @Test
    void eventWithoutAGrantIsFound() {
        at(0, 1, 1, Kind.ASKED, "X", 3_000_000_000L);
        heard(10, 1, 1, "ACQUIRED", 2);
        at(900, 1, 1, Kind.REFUSED, "store", -1);
        assertThat(rules()).isEmpty();
        at(900, 1, 1, Kind.REFUSED, "busy", -1);
        assertThat(rules()).containsExactly("event without a grant");
    }

    @Test
    void eventWithAnotherTokenIsFound() {
        heard(9, 1, 1, "ACQUIRED", 3);
        claim(1, "X", 0, 10, 3, 100);
        key = "transaction:1";
        guarded(2, 0, 10, 0, 11);
        assertThat(rules()).isEmpty();
        key = "lease:1";
        heard(9, 1, 1, "ACQUIRED", 2);
        assertThat(rules()).containsExactly("event with another token");
    }

    @Test
    void releaseWithoutAGrantIsFound() {
        guarded(1, 0, 10, 2, 11);
        heard(20, 1, 1, "RELEASED", 2);
        assertThat(rules()).isEmpty();
        heard(21, 1, 0, "RELEASED", 2);
        assertThat(rules()).containsExactly("release without a grant");
        events.remove(events.size() - 1);
        heard(21, 1, 0, "RELEASED", 3);
        assertThat(rules()).containsExactly("release without a grant");
    }

    @Test
    void lossWithoutAnEventIsFoundIfTheProcessLivesOn() {
        guarded(1, 0, 10, 2, 11);
        at(50, 1, 1, Kind.LOST, "", -1);
        at(2_050, 1, 0, Kind.SAMPLE, "", 1);
        assertThat(rules()).isEmpty();
        at(2_051, 1, 0, Kind.SAMPLE, "", 1);
        assertThat(rules()).containsExactly("loss without an event");
        at(2_000, 1, 0, Kind.PAUSED, "", 1_000_000);
        assertThat(rules()).isEmpty();
        at(9_000, 1, 0, Kind.SAMPLE, "", 1);
        heard(2_052, 1, 0, "LOST", 2);
        assertThat(rules()).containsExactly("loss without an event");
        heard(2_051, 1, 0, "LOST", 2);
        assertThat(rules()).isEmpty();
    }

    @Test
    void lossOfAnotherNodeOrTimeIsNoEventOfThisOne() {
        guarded(1, 1_000, 1_010, 2, 1_011);
        at(1_050, 1, 1, Kind.LOST, "", -1);
        at(9_000, 1, 0, Kind.SAMPLE, "", 1);
        heard(999, 1, 0, "LOST", 2);
        heard(1_050, 2, 0, "LOST", 2);
        key = "lease:2";
        heard(1_050, 1, 0, "LOST", 2);
        assertThat(rules()).containsExactly("loss without an event");
        key = "lease:1";
        heard(1_000, 1, 0, "LOST", 2);
        assertThat(rules()).isEmpty();
    }

    private List<String> rulesOfLog(LogRow... rows) {
        return Judge.judgeLog(History.of(events), List.of(rows)).stream()
                .map(Violation::rule)
                .toList();
    }

    @Test
    void rowThatIsMissingIsFoundIfTheNodeEndedInPeaceAndDoesNotSaySo() {
        guarded(1, 0, 10, 2, 11);
        guarded(2, 20, 30, 3, 31);
        LogRow first = new LogRow(1, key, 2, false);
        assertThat(rulesOfLog(first)).isEmpty();
        at(90, 1, 0, Kind.LOGGED, "", 0);
        assertThat(rulesOfLog(first)).containsExactly("log is not complete");
        assertThat(rulesOfLog(first, new LogRow(1, key, 3, false), first)).isEmpty();
        at(90, 1, 0, Kind.LOGGED, "", 1);
        assertThat(rulesOfLog(first)).isEmpty();
        assertThat(rulesOfLog()).containsExactly("log is not complete");
    }

    @Test
    void rowThatDoesNotShowItsReleaseIsFound() {
        guarded(1, 0, 10, 2, 11);
        heard(20, 1, 1, "RELEASED", 2);
        at(90, 1, 0, Kind.LOGGED, "", 0);
        assertThat(rulesOfLog(new LogRow(1, key, 2, true))).isEmpty();
        assertThat(rulesOfLog(new LogRow(1, key, 2, false))).containsExactly("log is not complete");
        assertThat(rulesOfLog(new LogRow(1, key, 2, false), new LogRow(1, key, 2, true)))
                .isEmpty();
    }

    @Test
    void rowOfNoGrantIsFound() {
        guarded(1, 0, 10, 2, 11);
        assertThat(rulesOfLog(new LogRow(1, key, 3, true))).isEmpty();
        at(90, 1, 0, Kind.LOGGED, "", 9);
        at(90, 2, 0, Kind.LOGGED, "", 9);
        assertThat(rulesOfLog(new LogRow(1, key, 2, true))).isEmpty();
        assertThat(rulesOfLog(new LogRow(1, key, 3, true))).containsExactly("log of no grant");
        assertThat(rulesOfLog(new LogRow(2, key, 2, true))).containsExactly("log of no grant");
        assertThat(rulesOfLog(new LogRow(1, "lease:2", 2, true))).containsExactly("log of no grant");
    }

    // ---- the order of arrival

    private void waits(int node, long operation, long asked, long granted) {
        at(asked, node, operation, Kind.ASKED, "X", 3_000_000_000L);
        if (granted >= 0) {
            at(granted, node, operation, Kind.GRANTED, "", -1);
        }
    }

    @Test
    void laterCallOfTheProcessThatIsServedFirstIsFound() {
        waits(1, 1, 0, 2_000);
        waits(1, 2, 501, 1_499);
        assertThat(found())
                .extracting(Violation::rule, Violation::text)
                .containsExactly(tuple(
                        "served out of order",
                        "X lease:1 of node 1, operation 2, token -1, which came 501 ms after X lease:1 of node 1, operation 1,"
                                + " token -1, which waited 501 ms more"));
    }

    @Test
    void callsThatComeAtOnceOrWakeUpAtOnceAreNotCompared() {
        waits(1, 1, 0, 2_000);
        waits(1, 2, 500, 1_000);
        waits(1, 3, 600, 1_500);
        assertThat(rules()).isEmpty();
    }

    @Test
    void callThatIsRefusedOrHangsIsOvertakenToo() {
        waits(1, 1, 0, -1);
        at(3_000, 1, 1, Kind.REFUSED, "busy", -1);
        waits(1, 2, 600, 1_000);
        assertThat(rules()).contains("served out of order");
        events.clear();
        waits(1, 1, 0, -1);
        waits(1, 2, 600, 1_000);
        assertThat(rules()).isEmpty();
        at(2_000, 1, 0, Kind.SAMPLE, "", 1);
        assertThat(rules()).containsExactly("served out of order");
    }

    @Test
    void callThatIsAlsoWaitingOrCameLaterOrGaveUpOvertakesNone() {
        waits(1, 1, 0, 2_000);
        waits(1, 2, 600, -1);
        waits(1, 3, 600, 2_500);
        waits(1, 4, 2_001, 2_002);
        at(1_000, 1, 2, Kind.REFUSED, "busy", -1);
        assertThat(rules()).isEmpty();
    }

    @Test
    void readersTriesAndTransactionsAreServedInAnyOrder() {
        waits(1, 1, 0, 2_000);
        at(600, 1, 2, Kind.ASKED, "S", 3_000_000_000L);
        at(1_000, 1, 2, Kind.GRANTED, "", -1);
        at(600, 1, 3, Kind.ASKED, "X", 0);
        at(1_000, 1, 3, Kind.GRANTED, "", -1);
        key = "transaction:1";
        waits(1, 4, 0, 2_000);
        waits(1, 5, 600, 1_000);
        assertThat(rules()).isEmpty();
    }

    @Test
    void callForSeveralKeysQueuesForOneAfterTheOther() {
        waits(1, 1, 0, 2_000);
        waits(1, 2, 600, 1_000);
        key = "lease:0";
        waits(1, 1, 0, 700);
        assertThat(rules()).isEmpty();
    }

    @Test
    void orderIsDisturbedByAPauseOrALoss() {
        waits(1, 1, 0, 2_000);
        waits(1, 2, 600, 1_000);
        assertThat(rules()).containsExactly("served out of order");
        at(300, 1, 0, Kind.PAUSED, "", 100_000_000);
        assertThat(rules()).isEmpty();
        events.remove(events.size() - 1);
        at(1_900, 1, 0, Kind.PAUSED, "", 500_000_000);
        assertThat(rules()).isEmpty();
        events.remove(events.size() - 1);
        heard(2_001, 1, 0, "LOST", 1);
        assertThat(rules()).contains("served out of order");
        heard(2_000, 1, 0, "LOST", 1);
        assertThat(rules()).doesNotContain("served out of order");
    }

    @Test
    void orderAcrossNodesIsCountedOnly() {
        waits(1, 1, 0, 2_000);
        waits(2, 2, 501, 1_499);
        assertThat(rules()).isEmpty();
        assertThat(History.of(events).orderAcrossNodes()).isEqualTo("1 of 1");
        key = "lease:2";
        waits(1, 3, 0, 2_000);
        waits(2, 4, 501, 1_500);
        assertThat(History.of(events).orderAcrossNodes()).isEqualTo("1 of 2");
        key = "lease:3";
        waits(1, 5, 0, 2_000);
        waits(2, 6, 500, 1_000);
        waits(1, 7, 600, 1_000);
        waits(2, 8, 700, -1);
        assertThat(History.of(events).orderAcrossNodes()).isEqualTo("1 of 2");
    }

    // ---- bounds

    private List<Violation> found() {
        Judge.Limits limits = new Judge.Limits(
                Duration.ofSeconds(3), Duration.ofSeconds(2), Duration.ofSeconds(11), Set.of("lease", "row-lock"));
        return Judge.judge(History.of(events), writes, limits);
    }

    @Test
    void reportSaysWhoAndForHowLong() {
        claim(2, "X", 20, 50, 2, 200);
        claim(1, "X", 0, 10, 1, 100);
        assertThat(found())
                .extracting(Violation::at, Violation::text)
                .containsExactly(
                        tuple(
                                50_000_000L,
                                "X lease:1 of node 2, operation 2, token 2 beside X lease:1 of node 1, operation 1, token 1, which counted on 50 ms more"));
    }

    @Test
    void claimMayBeginWhenTheOtherEnds() {
        claim(1, "X", 0, 10, 1, 100);
        claim(2, "X", 20, 100, 2, 200);
        claim(3, "X", 120, 150, 3, 150);
        at(200, 4, 4, Kind.ASKED, "X", 3_000_000_000L);
        at(200, 4, 4, Kind.GRANTED, "", 4);
        assertThat(rules()).isEmpty();
    }

    @Test
    void readerHasTheTokenOfTheLastWriterAndTheNextWriterAGreaterOne() {
        claim(1, "X", 0, 10, 5, 20);
        claim(2, "S", 30, 40, 5, 45);
        claim(3, "X", 50, 60, 6, 65);
        assertThat(rules()).isEmpty();
        claim(4, "S", 70, 80, 5, 85);
        assertThat(found())
                .extracting(Violation::text)
                .containsExactly("S lease:1 of node 4, operation 4, token 5, after 6");
    }

    @Test
    void tokensOfThoseThatAskedAtTheSameTimeMayComeInAnyOrder() {
        claim(1, "X", 0, 10, 5, 20);
        claim(2, "X", 10, 30, 4, 40);
        assertThat(rules()).isEmpty();
        claim(3, "X", 31, 50, 5, 60);
        assertThat(found())
                .extracting(Violation::text)
                .containsExactly("X lease:1 of node 3, operation 3, token 5, after 5");
    }

    @Test
    void minimumMayEndToTheMillisecond() {
        claim(1, "X", 0, 10, 1, 20);
        at(10, 1, 1, Kind.MINIMUM, "", 1_000_000_000L);
        claim(2, "X", 100, 1_000, 2, 1_100);
        assertThat(rules()).isEmpty();
        claim(3, "X", 100, 999, 2, 1_000);
        assertThat(found()).extracting(Violation::rule).contains("minimum cut short");
        assertThat(found().get(0).text()).contains(", 999 ms after X lease:1 of node 1");
    }

    @Test
    void overtakenCommitIsOnlyFoundWhereItIsPromisedThatThereIsNone() {
        claim(1, "X", 0, 10, 1, 20);
        claim(2, "X", 0, 31, 2, 40);
        increment(1, 11, 31, Kind.COMMITTED, 33, 0);
        assertThat(rules()).isEmpty();
        key = "redis:1";
        claim(3, "X", 0, 10, 1, 20);
        claim(4, "X", 0, 30, 2, 40);
        increment(3, 11, 31, Kind.COMMITTED, 33, 0);
        assertThat(rules()).isEmpty();
    }

    @Test
    void incrementThatWasRolledBackCountsForNothing() {
        claim(1, "X", 0, 10, 1, 20);
        increment(1, 11, 12, Kind.ROLLED_BACK, 13, 0);
        claim(2, "X", 14, 30, 2, 40);
        increment(2, 31, 32, Kind.COMMITTED, 33, 0);
        assertThat(rules()).isEmpty();
    }

    @Test
    void searchReportsTheEndOfTheCounter() {
        claim(1, "X", 0, 10, 1, 20);
        increment(1, 11, 12, Kind.COMMITTED, 13, 5);
        assertThat(found())
                .extracting(Violation::at, Violation::text)
                .containsExactly(tuple(13_000_000L, "the counter lease:1, of 1 increments"));
    }

    @Test
    void leaderMayLeadAgainAndAnotherFromTheMomentOnInWhichItLeaves() {
        at(400, 2, 0, Kind.LED, "300000000", 6);
        at(100, 1, 0, Kind.LED, "0", 5);
        at(200, 1, 0, Kind.LED, "50000000", 5);
        at(300, 2, 0, Kind.LED, "200000000", 6);
        assertThat(rules()).isEmpty();
        at(380, 1, 0, Kind.LED, "310000000", 7);
        at(390, 1, 0, Kind.LED, "399000000", 7);
        assertThat(rules()).containsExactly("two leaders", "two leaders");
    }

    @Test
    void callMayTakeItsWaitAndTheTolerance() {
        at(0, 1, 1, Kind.ASKED, "X", 3_000_000_000L);
        at(5_000, 1, 1, Kind.REFUSED, "store", -1);
        at(0, 1, 2, Kind.ASKED, "X", -1);
        at(90_000, 1, 2, Kind.REFUSED, "store", -1);
        at(0, 1, 3, Kind.ASKED, "X", 0);
        at(2_001, 1, 3, Kind.REFUSED, "store", -1);
        assertThat(found())
                .extracting(Violation::text)
                .containsExactly("X lease:1 of node 1, operation 3, token -1: 2001 ms of 0 ms store");
    }

    @Test
    void callWithoutAnAnswerHangsIfItsProcessLives() {
        at(0, 1, 1, Kind.ASKED, "X", 3_000_000_000L);
        at(4_000, 1, 0, Kind.SAMPLE, "", 1);
        assertThat(rules()).isEmpty();
        at(6_000, 1, 0, Kind.SAMPLE, "", 1);
        at(6_500, 1, 0, Kind.PAUSED, "", 100_000_000);
        assertThat(found())
                .extracting(Violation::rule, Violation::text)
                .containsExactly(tuple("hangs", "X lease:1 of node 1, operation 1, token -1: 6400 ms of 3000 ms "));
    }

    private void refusedAt(long asked) {
        at(asked, 9, 9, Kind.ASKED, "X", 3_000_000_000L);
        at(asked + 3_000, 9, 9, Kind.REFUSED, "busy", -1);
    }

    @Test
    void keyMayStayTakenForATtlAndASecond() {
        claim(1, "X", 0, 10, 1, 100);
        at(51, 1, 1, Kind.ENDED, "", -1);
        refusedAt(4_050);
        assertThat(rules()).isEmpty();
    }

    @Test
    void keyMayStayTakenNoLonger() {
        claim(1, "X", 0, 10, 1, 100);
        at(50, 1, 1, Kind.ENDED, "", -1);
        refusedAt(4_050);
        assertThat(rules()).containsExactly("key stays taken");
    }

    @Test
    void minimumAndSilentHolderKeepAKey() {
        claim(1, "X", 0, 10, 1, 100);
        at(50, 1, 1, Kind.ENDED, "", -1);
        at(60, 1, 1, Kind.MINIMUM, "", 5_000_000_000L);
        refusedAt(8_000);
        assertThat(rules()).isEmpty();
    }

    @Test
    void processWithoutARecordedReleaseMayHoldAsLongAsItLives() {
        claim(1, "X", 0, 10, 1, 100);
        at(7_000, 1, 0, Kind.SAMPLE, "", 1);
        refusedAt(8_000);
        assertThat(rules()).isEmpty();
    }

    @Test
    void transactionThatWasAnsweredHoldsItNoLonger() {
        claim(1, "X", 0, 10, 1, 100);
        at(50, 1, 1, Kind.COMMITTED, "", -1);
        at(7_000, 1, 0, Kind.SAMPLE, "", 1);
        refusedAt(8_000);
        assertThat(rules()).containsExactly("key stays taken");
    }

    @Test
    void callThatFailedMayHaveTakenTheKey() {
        at(0, 1, 1, Kind.ASKED, "X", -1);
        at(5_000, 1, 1, Kind.REFUSED, "store", -1);
        refusedAt(8_999);
        assertThat(rules()).isEmpty();
    }

    @Test
    void callThatFailedLongAgoOrWasBusyOrCameLaterHasNotTakenTheKey() {
        at(0, 1, 1, Kind.ASKED, "X", -1);
        at(5_000, 1, 1, Kind.REFUSED, "store", -1);
        at(6_000, 2, 2, Kind.ASKED, "X", -1);
        at(7_000, 2, 2, Kind.REFUSED, "busy", -1);
        at(12_000, 3, 3, Kind.ASKED, "X", -1);
        at(13_000, 3, 3, Kind.REFUSED, "store", -1);
        refusedAt(9_000);
        assertThat(rules()).containsExactly("key stays taken");
    }

    @Test
    void callWithoutAnAnswerMayHaveTheKeyWhileItsProcessLives() {
        at(0, 1, 1, Kind.ASKED, "X", -1);
        at(6_000, 1, 0, Kind.SAMPLE, "", 1);
        refusedAt(8_000);
        assertThat(rules()).isEmpty();
    }
}
