package io.rowlock.stress;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockMode;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the oracle makes of tokens. */
class OracleTests {
    private final Oracle oracle = new Oracle();

    private void visit(LockMode mode, long token, String owner) {
        oracle.enter("a", mode, token, owner, System.nanoTime() + TimeUnit.MINUTES.toNanos(1))
                .leave();
    }

    @Test
    void tokensThatGrowAreInOrder() {
        visit(LockMode.EXCLUSIVE, 1, "one");
        visit(LockMode.EXCLUSIVE, 2, "one");
        visit(LockMode.SHARED, 2, "one");
        visit(LockMode.SHARED, 9, "two");
        visit(LockMode.SHARED, 2, "one");
        visit(LockMode.EXCLUSIVE, 10, "two");
        assertThat(oracle.violations()).isEmpty();
    }

    @Test
    void writerOfTheSameProcessNeedsAGreaterTokenToo() {
        visit(LockMode.EXCLUSIVE, 1, "one");
        visit(LockMode.EXCLUSIVE, 1, "one");
        assertThat(oracle.violations()).singleElement().asString().contains("token did not grow");
    }

    @Test
    void readerNeedsTheTokenOfTheLastWriter() {
        visit(LockMode.EXCLUSIVE, 2, "one");
        visit(LockMode.SHARED, 1, "one");
        assertThat(oracle.violations()).singleElement().asString().contains("token did not grow");
    }

    @Test
    void writerNeedsAGreaterTokenThanTheReadersBefore() {
        visit(LockMode.SHARED, 3, "one");
        visit(LockMode.EXCLUSIVE, 3, "one");
        assertThat(oracle.violations()).singleElement().asString().contains("token did not grow");
    }

    private void permit(int permits, String owner) {
        oracle.enter("b", LockMode.PERMIT, permits, 1, owner, System.nanoTime() + TimeUnit.MINUTES.toNanos(1));
    }

    @Test
    void permitsUpToTheSmallestNumberAreInOrder() {
        permit(3, "one");
        permit(2, "two");
        assertThat(oracle.violations()).isEmpty();
        permit(3, "three");
        assertThat(oracle.violations()).singleElement().asString().contains("too many permits");
    }

    @Test
    void permitBesideAWriterIsAnOverlap() {
        oracle.enter("b", LockMode.EXCLUSIVE, 1, "writer", System.nanoTime() + TimeUnit.MINUTES.toNanos(1));
        permit(3, "one");
        assertThat(oracle.violations()).singleElement().asString().contains("overlap");
    }
}
