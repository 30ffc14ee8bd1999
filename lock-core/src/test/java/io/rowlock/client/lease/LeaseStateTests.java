package io.rowlock.client.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.store.Fence;
import org.junit.jupiter.api.Test;

class LeaseStateTests {
    /** Near the end of the range, since only differences of readings mean anything. */
    private static final long START = Long.valueOf(Long.MAX_VALUE).longValue() - 50;

    private final LeaseState state = new LeaseState(START, 90, 30, true);
    private final LeaseState unrenewed = new LeaseState(START, 90, 30, false);
    private final OpenFence fence = new OpenFence(Fence.Pinned.NEVER_OPEN, true);

    // ---- how long it lasts

    @Test
    void lastsFromWhenTheStatementWasSentForTheTtl() {
        assertThat(state.isHeld(START)).isTrue();
        assertThat(state.remaining(START + 40)).isEqualTo(50);
        assertThat(state.isHeld(START + 89)).isTrue();
        assertThat(state.isHeld(START + 90)).isFalse();
        assertThat(state.remaining(START + 200)).isZero();
    }

    @Test
    void onlyLeaseWithoutRenewalRunsOutForGood() {
        assertThat(unrenewed.hasRunOut(START + 89)).isFalse();
        assertThat(unrenewed.hasRunOut(START + 90)).isTrue();
        assertThat(state.hasRunOut(START + 90)).isFalse();
        state.endRenewals();
        assertThat(state.hasRunOut(START + 90)).isTrue();
    }

    @Test
    void releasedLeaseHasNotRunOut() {
        unrenewed.release(START + 10);
        assertThat(unrenewed.hasRunOut(START + 90)).isFalse();
        assertThat(unrenewed.remaining(START + 20)).isZero();
    }

    @Test
    void leaseIsPassableWhileHalfOfItIsLeftAndItIsNotKept() {
        assertThat(state.isPassable(START + 45)).isTrue();
        assertThat(state.isPassable(START + 46)).isFalse();
        state.keepFor(20, START);
        assertThat(state.isPassable(START + 19)).isFalse();
        assertThat(state.isPassable(START + 20)).isTrue();
        state.release(START + 20);
        assertThat(state.isPassable(START + 20)).isFalse();
    }

    /** A transaction of another thread relied on it, and its changes are not there yet for the next holder to read. */
    @Test
    void leaseIsNotPassableUntilTheTransactionThatCheckedItIsOver() {
        state.fenceOpened(fence);
        assertThat(state.isPassable(START + 10)).isFalse();
        state.fenceClosed(fence);
        assertThat(state.isPassable(START + 10)).isTrue();
    }

    // ---- a promise

    @Test
    void promisedLeaseLastsForThePromiseUntilItIsRenewedToItsTtl() {
        state.promised(12);
        assertThat(state.isPromised()).isTrue();
        assertThat(state.remaining(START)).isEqualTo(12);
        assertThat(state.ttl()).isEqualTo(90);
        assertThat(state.renewalDue(START + 1)).isEqualTo(START + 4);
        assertThat(state.isPassable(START + 6)).isTrue();
        assertThat(state.isPassable(START + 7)).isFalse();
        assertThat(state.look(START + 7)).isEqualTo(LeaseState.Alarm.NONE);
        assertThat(state.look(START + 8)).isEqualTo(LeaseState.Alarm.AT_RISK);
        assertThat(state.renewed(START + 4, START + 9, 90, 30)).isFalse();
        assertThat(state.isPromised()).isFalse();
        assertThat(state.remaining(START + 9)).isEqualTo(85);
        assertThat(state.renewalDue(START + 9)).isEqualTo(START + 34);
    }

    @Test
    void promisedLeaseIsLostWithItsPromise() {
        state.promised(12);
        assertThat(state.isHeld(START + 11)).isTrue();
        assertThat(state.isHeld(START + 12)).isFalse();
        assertThat(state.look(START + 12)).isEqualTo(LeaseState.Alarm.LOST);
    }

    @Test
    void leaseWithoutRenewalThatWasPromisedIsRenewedOnceAndAtOnce() {
        unrenewed.promised(12);
        assertThat(unrenewed.renewalDue(START + 1)).isEqualTo(START);
        assertThat(unrenewed.renewalFailed(START + 1)).isTrue();
        assertThat(unrenewed.renewalDue(START + 1)).isEqualTo(START + 2);
        assertThat(unrenewed.renewed(START + 2, START + 3, 90, 30)).isFalse();
        assertThat(unrenewed.renewalDue(START + 3)).isNull();
        assertThat(unrenewed.remaining(START + 3)).isEqualTo(89);
    }

    // ---- renewal

    @Test
    void renewalLagsFromWhenItWasDueUntilOneSucceeds() {
        assertThat(state.lag(START + 30)).isZero();
        assertThat(state.lag(START + 42)).isEqualTo(12);
        state.renewalFailed(START + 42);
        assertThat(state.lag(START + 45)).isEqualTo(15);
        assertThat(state.renewed(START + 46, START + 47, 90, 30)).isFalse();
        assertThat(state.lag(START + 48)).isZero();
    }

    @Test
    void renewalCountsFromWhenItWasSent() {
        assertThat(state.renewalDue(START)).isEqualTo(START + 30);
        assertThat(state.renewed(START + 30, START + 80, 90, 30)).isFalse();
        assertThat(state.deadline()).isEqualTo(START + 120);
        assertThat(state.renewalDue(START + 80)).isEqualTo(START + 60);
    }

    @Test
    void answerAfterTheOldDeadlineIsALossForGoodAndReportedOnce() {
        assertThat(state.renewed(START + 30, START + 90, 90, 30)).isTrue();
        assertThat(state.isHeld(START + 40)).isFalse();
        assertThat(state.lostBecause(START + 90)).contains("too late");
        assertThat(state.renewed(START + 91, START + 92, 900, 30)).isFalse();
        assertThat(state.isHeld(START + 92)).isFalse();
    }

    @Test
    void answerToTheRenewalOfAReleasedLeaseChangesNothing() {
        state.release(START + 40);
        assertThat(state.renewed(START + 30, START + 41, 90, 30)).isFalse();
        assertThat(state.isHeld(START + 41)).isFalse();
        assertThat(state.lostBecause(START + 200)).isNull();
    }

    @Test
    void failedRenewalChangesNothingButWhenItIsTriedAgain() {
        state.renewalFailed(START + 40);
        assertThat(state.renewalDue(START + 40)).isEqualTo(START + 47);
        assertThat(state.deadline()).isEqualTo(START + 90);
    }

    @Test
    void noRenewalIsDueOnceTheLeaseIsOverOrNotRenewed() {
        assertThat(unrenewed.renewalDue(START)).isNull();
        assertThat(unrenewed.lag(START + 80)).isZero();
        assertThat(state.renewalDue(START + 90)).isNull();
        state.endRenewals();
        assertThat(state.isRenewed()).isFalse();
        assertThat(state.renewalDue(START)).isNull();
    }

    @Test
    void shorteningMayEndItEarlyAndIsMadeUpForAtOnce() {
        state.extending(START + 10, 20);
        assertThat(state.deadline()).isEqualTo(START + 30);
        assertThat(state.renewalDue(START + 10)).isEqualTo(START + 10);
    }

    @Test
    void lengtheningPromisesNothingBeforeItsAnswer() {
        state.extending(START + 10, 900);
        assertThat(state.deadline()).isEqualTo(START + 90);
        assertThat(state.renewalDue(START + 10)).isEqualTo(START + 30);
        assertThat(state.renewed(START + 10, START + 20, 900, 300)).isFalse();
        assertThat(state.deadline()).isEqualTo(START + 910);
        assertThat(state.ttl()).isEqualTo(900);
    }

    @Test
    void endIsUnknownFromAnAttemptToMoveItUntilOneIsAnswered() {
        assertThat(state.isEndKnown()).isTrue();
        state.extending(START + 10, 20);
        assertThat(state.isEndKnown()).isFalse();
        state.extending(START + 12, 90);
        assertThat(state.deadline()).as("the earlier one may still come").isEqualTo(START + 30);
        state.renewalFailed(START + 14);
        assertThat(state.isEndKnown()).isFalse();
        assertThat(state.renewed(START + 15, START + 16, 90, 30)).isFalse();
        assertThat(state.isEndKnown()).isTrue();
        assertThat(state.deadline()).isEqualTo(START + 105);
    }

    // ---- the clock

    @Test
    void clockWarnsHalfwayBetweenTheRenewalAndTheEndAndOncePerRenewal() {
        assertThat(state.nextLook()).isEqualTo(START + 60);
        assertThat(state.look(START + 59)).isEqualTo(LeaseState.Alarm.NONE);
        assertThat(state.isAtRisk(START + 60)).isTrue();
        assertThat(state.look(START + 60)).isEqualTo(LeaseState.Alarm.AT_RISK);
        assertThat(state.look(START + 61)).isEqualTo(LeaseState.Alarm.NONE);
        assertThat(state.nextLook()).isEqualTo(START + 90);
        state.renewed(START + 61, START + 62, 90, 30);
        assertThat(state.isAtRisk(START + 62)).isFalse();
        assertThat(state.nextLook()).isEqualTo(START + 121);
        assertThat(state.look(START + 121)).isEqualTo(LeaseState.Alarm.AT_RISK);
    }

    @Test
    void failedRenewalWarnsOnceAndTheClockNotAgain() {
        assertThat(state.renewalFailed(START + 40)).isTrue();
        assertThat(state.renewalFailed(START + 47)).isFalse();
        assertThat(state.isAtRisk(START + 47)).isTrue();
        assertThat(state.look(START + 60)).isEqualTo(LeaseState.Alarm.NONE);
    }

    @Test
    void clockEndsWhatHasExpiredOnce() {
        assertThat(state.lostBecause(START + 90))
                .as("before the clock is looked at")
                .isEqualTo(LeaseState.OVERDUE);
        assertThat(state.isOpen()).isTrue();
        assertThat(state.look(START + 90)).isEqualTo(LeaseState.Alarm.LOST);
        assertThat(state.isOpen()).isFalse();
        assertThat(state.isGone()).isTrue();
        assertThat(state.look(START + 91)).isEqualTo(LeaseState.Alarm.NONE);
        assertThat(state.nextLook()).isNull();
    }

    @Test
    void leaseWithoutRenewalIsNeverAtRisk() {
        assertThat(unrenewed.nextLook()).isEqualTo(START + 90);
        assertThat(unrenewed.look(START + 89)).isEqualTo(LeaseState.Alarm.NONE);
        assertThat(unrenewed.isAtRisk(START + 89)).isFalse();
    }

    // ---- fences

    @Test
    void openFenceStopsRenewalAndClockUntilTheLastIsClosed() {
        OpenFence second = new OpenFence(Fence.Pinned.NEVER_OPEN, true);
        state.fenceOpened(fence);
        state.fenceOpened(second);
        state.fenceClosed(fence);
        assertThat(state.openFences()).containsExactly(second);
        assertThat(state.renewalDue(START)).isNull();
        assertThat(state.lag(START + 80)).isZero();
        assertThat(state.isAtRisk(START + 80)).isFalse();
        assertThat(state.look(START + 90)).isEqualTo(LeaseState.Alarm.NONE);
        assertThat(state.nextLook()).isNull();
        state.fenceClosed(second);
        assertThat(state.renewalDue(START)).isEqualTo(START + 30);
        assertThat(state.look(START + 90)).isEqualTo(LeaseState.Alarm.LOST);
    }

    @Test
    void fenceThatDoesNotProtectTheLeaseLeavesRenewalAndClockAsTheyAre() {
        OpenFence elsewhere = new OpenFence(Fence.Pinned.NEVER_OPEN, false);
        state.fenceOpened(elsewhere);
        assertThat(state.openFences()).containsExactly(elsewhere);
        assertThat(state.renewalDue(START)).isEqualTo(START + 30);
        assertThat(state.nextLook()).isNotNull();
        state.fenceOpened(fence);
        assertThat(state.renewalDue(START)).isNull();
        state.fenceClosed(fence);
        assertThat(state.renewalDue(START)).isEqualTo(START + 30);
        assertThat(state.look(START + 90)).isEqualTo(LeaseState.Alarm.LOST);
    }

    @Test
    void renewalThatFailsUnderAFenceWarnsLater() {
        state.fenceOpened(fence);
        assertThat(state.renewalFailed(START + 40)).isFalse();
        state.fenceClosed(fence);
        assertThat(state.renewalFailed(START + 47)).isTrue();
    }

    // ---- the loss

    @Test
    void firstReasonOfTheLossStays() {
        assertThat(state.lose("first")).isTrue();
        assertThat(state.lose("second")).isFalse();
        assertThat(state.lostBecause(START)).isEqualTo("first");
        assertThat(state.isHeld(START)).isFalse();
        assertThat(state.isReleased()).isFalse();
    }

    @Test
    void lossInTheDatabaseIsFinalAndLeavesNothingToRelease() {
        assertThat(state.goneInDatabase(LeaseState.FORCED)).isTrue();
        assertThat(state.goneInDatabase(LeaseState.GONE)).isFalse();
        assertThat(state.lostBecause(START)).isEqualTo(LeaseState.FORCED);
        assertThat(state.release(START)).isEqualTo(LeaseState.Release.NOTHING);
    }

    @Test
    void lossThatARenewalFindsDuringTheReleaseIsLeftToTheRelease() {
        assertThat(state.release(START)).isEqualTo(LeaseState.Release.SEND);
        assertThat(state.goneInDatabase(LeaseState.GONE)).isFalse();
        assertThat(state.isGone()).isFalse();
        state.releaseConfirmed();
        assertThat(state.isReleaseConfirmed()).isTrue();
        assertThat(state.isReleased()).isTrue();
    }

    @Test
    void unprovenDowngradeLosesTheLeaseAndLeavesNothingToRelease() {
        assertThat(state.abandon(LeaseState.UNPROVEN)).isTrue();
        assertThat(state.isGone()).isTrue();
        assertThat(state.release(START)).isEqualTo(LeaseState.Release.NOTHING);
    }

    @Test
    void lossByTheClockIsNoticedByTheReleaseWhateverTheFences() {
        state.fenceOpened(fence);
        assertThat(state.loseIfOverdue(START + 89)).isFalse();
        assertThat(state.loseIfOverdue(START + 90)).isTrue();
        assertThat(state.loseIfOverdue(START + 91)).isFalse();
    }

    // ---- the end

    @Test
    void releaseIsSentOnce() {
        assertThat(state.release(START)).isEqualTo(LeaseState.Release.SEND);
        assertThat(state.release(START)).isEqualTo(LeaseState.Release.NOTHING);
        assertThat(state.isReleased()).isTrue();
        assertThat(state.isHeld(START)).isFalse();
        assertThat(state.lostBecause(START + 200)).isNull();
        assertThat(state.lose("later")).isFalse();
    }

    @Test
    void restOfALeaseLostByTheClockIsReleasedOnce() {
        assertThat(state.loseIfOverdue(START + 90)).isTrue();
        assertThat(state.release(START + 90)).isEqualTo(LeaseState.Release.SEND_REST);
        assertThat(state.release(START + 90)).isEqualTo(LeaseState.Release.NOTHING);
    }

    @Test
    void restOfALostLeaseIsNotReleasedBeforeItsMinimumIsOver() {
        state.keepFor(100, START);
        state.lose(LeaseState.OVERDUE);
        assertThat(state.release(START + 99)).isEqualTo(LeaseState.Release.NOTHING);
        assertThat(state.release(START + 100)).isEqualTo(LeaseState.Release.SEND_REST);
    }

    @Test
    void releaseThatFindsTheLeaseGoneMakesItLost() {
        assertThat(state.release(START)).isEqualTo(LeaseState.Release.SEND);
        state.foundGone();
        assertThat(state.isReleased()).isFalse();
        assertThat(state.isGone()).isTrue();
        assertThat(state.isReleaseConfirmed()).isFalse();
        assertThat(state.lostBecause(START)).isEqualTo(LeaseState.GONE);
    }

    @Test
    void longestMinimumCounts() {
        assertThat(state.isKept(START)).isFalse();
        assertThat(state.rest(START)).isZero();
        state.keepFor(100, START);
        state.keepFor(50, START + 20);
        assertThat(state.rest(START + 60)).isEqualTo(40);
        state.keepFor(80, START + 60);
        assertThat(state.rest(START + 60)).isEqualTo(80);
        assertThat(state.isKept(START + 140)).isFalse();
    }

    @Test
    void onlyALeaseThatIsHeldIsReplaced() {
        assertThat(state.replaced(START + 89)).isTrue();
        assertThat(state.isReleased()).isTrue();
        assertThat(state.isReleaseConfirmed()).isTrue();
        assertThat(unrenewed.replaced(START + 90)).isFalse();
        assertThat(unrenewed.isOpen()).isTrue();
        assertThat(unrenewed.isReleaseConfirmed()).isFalse();
    }
}
