package io.rowlock.client;

import static io.rowlock.LockMode.EXCLUSIVE;
import static io.rowlock.LockMode.SHARED;
import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.client.ThreadLockState.Change;
import org.junit.jupiter.api.Test;

class ThreadLockStateTests {
    private final ThreadLockState state = new ThreadLockState(EXCLUSIVE);

    @Test
    void endsWithItsLastGrant() {
        state.enter(EXCLUSIVE);
        state.enter(EXCLUSIVE);
        state.leave(EXCLUSIVE);
        assertThat(state.settle()).isEqualTo(Change.NONE);
        state.leave(EXCLUSIVE);
        assertThat(state.settle()).isEqualTo(Change.END);
        assertThat(state.isEnded()).isTrue();
        assertThat(state.isDropped()).isFalse();
        assertThat(state.settle()).isEqualTo(Change.NONE);
    }

    @Test
    void endsWithItsLastTransaction() {
        state.enter(EXCLUSIVE);
        state.keptByTransaction();
        state.leave(EXCLUSIVE);
        assertThat(state.settle()).isEqualTo(Change.NONE);
        assertThat(state.isInUse()).isTrue();
        state.transactionCompleted();
        assertThat(state.settle()).isEqualTo(Change.END);
        assertThat(state.isInUse()).isFalse();
    }

    @Test
    void becomesSharedOnceIfOnlySharedGrantsAreLeft() {
        state.enter(EXCLUSIVE);
        state.enter(SHARED);
        state.leave(EXCLUSIVE);
        assertThat(state.settle()).isEqualTo(Change.DOWNGRADE);
        assertThat(state.mode()).isEqualTo(SHARED);
        state.downgradeEnded();
        assertThat(state.settle()).isEqualTo(Change.NONE);
        state.leave(SHARED);
        assertThat(state.settle()).isEqualTo(Change.END);
    }

    @Test
    void doesNotEndWhileItBecomesShared() {
        state.enter(EXCLUSIVE);
        state.enter(SHARED);
        state.leave(EXCLUSIVE);
        assertThat(state.settle()).isEqualTo(Change.DOWNGRADE);
        state.leave(SHARED);
        assertThat(state.settle()).isEqualTo(Change.NONE);
        assertThat(state.drop()).isFalse();
        state.downgradeEnded();
        assertThat(state.settle()).isEqualTo(Change.END);
    }

    @Test
    void isDroppedOnceWithGrantsLeft() {
        state.enter(EXCLUSIVE);
        assertThat(state.drop()).isTrue();
        assertThat(state.isEnded()).isTrue();
        assertThat(state.isDropped()).isTrue();
        assertThat(state.drop()).isFalse();
        state.leave(EXCLUSIVE);
        assertThat(state.settle()).isEqualTo(Change.NONE);
    }

    @Test
    void grantsOfAThreadThatHasEndedCannotBeClosed() {
        state.enter(EXCLUSIVE);
        state.enter(SHARED);
        state.abandoned(1);
        assertThat(state.isClosable()).isTrue();
        state.leave(EXCLUSIVE);
        assertThat(state.isClosable()).isFalse();
    }
}
