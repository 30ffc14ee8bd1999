package io.rowlock.sample.stage;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

@DisabledOnOs(OS.WINDOWS)
class StandstillTests {
    private Process owner;
    private Process node;

    /** The node is as one that does not notice that its owner is gone: it ends by itself in five minutes. */
    @BeforeEach
    void start() throws IOException {
        owner = new ProcessBuilder("sleep", "300").start();
        node = new ProcessBuilder("sleep", "300").start();
    }

    @AfterEach
    void end() {
        owner.destroyForcibly();
        node.destroyForcibly();
    }

    @Test
    void nodeThatStandsStillEndsWithItsOwner() {
        Standstill.of(node, owner.toHandle());
        owner.destroyForcibly();
        await().atMost(ofSeconds(30)).until(() -> !node.isAlive());
    }

    @Test
    void nodeThatWentOnIsWatchedOverNoMore() {
        long before = children();
        Standstill standstill = Standstill.of(node, owner.toHandle());
        assertThat(children()).isGreaterThan(before);
        standstill.end();
        await().atMost(ofSeconds(30)).until(() -> children() == before);
        assertThat(node.isAlive()).isTrue();
    }

    private static long children() {
        return ProcessHandle.current().children().filter(ProcessHandle::isAlive).count();
    }
}
