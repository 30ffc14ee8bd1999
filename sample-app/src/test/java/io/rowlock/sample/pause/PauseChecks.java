package io.rowlock.sample.pause;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.sample.Sample;
import org.junit.jupiter.api.Test;

/** What a holder that stands still shows. */
public interface PauseChecks extends Sample {

    @Test
    default void refusesTheCommitOfAHolderThatStoodStill() {
        PauseResult run = post("/pause?lock=true", PauseResult.class);
        assertThat(run.refused()).isTrue();
        assertThat(run.consistent()).isTrue();
        assertThat(run.paidOut()).isEqualTo(30_00);
        assertThat(run.balance()).isEqualTo(70_00);
        assertThat(run.sentence()).contains("\"account:%d\"".formatted(run.accountId()), "is lost");
        assertThat(run.sql()).contains("ROLLBACK").doesNotContain("COMMIT");
    }

    @Test
    default void losesAWithdrawalWithoutTheLock() {
        PauseResult run = post("/pause?lock=false", PauseResult.class);
        assertThat(run.refused()).isFalse();
        assertThat(run.paidOut()).isEqualTo(60_00);
        assertThat(run.balance()).isEqualTo(70_00);
        assertThat(run.consistent()).isFalse();
    }
}
