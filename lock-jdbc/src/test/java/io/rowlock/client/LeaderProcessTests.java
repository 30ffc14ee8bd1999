package io.rowlock.client;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.leader.LeaderRole;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.Stopwatch;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A leader in another process that dies or stands still. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "processes are stopped and killed by POSIX signals")
@OnEachServer
class LeaderProcessTests extends ClientContract {
    private static final LeaderRole ROLE = new LeaderRole("scheduler", ofSeconds(2), ofMillis(200), true);

    private final Chronicle chronicle = new Chronicle();
    private CandidateProcess child;

    @BeforeEach
    void startChild() throws IOException {
        child = closing(new CandidateProcess(schema, "child", ROLE, chronicle));
        await().atMost(ofSeconds(60)).until(child::leads);
    }

    /** @return when it was first seen to lead */
    private static long promoted(Candidate next) {
        await().pollInterval(ofMillis(5)).atMost(ofSeconds(30)).until(next.election::isLeader);
        return System.nanoTime();
    }

    @Test
    void killedLeaderIsReplacedWithinTtlAndInterval() throws Exception {
        Candidate next = closing(new Candidate(node, ROLE));
        Stopwatch time = Stopwatch.start();
        child.signal("KILL");
        long unused = promoted(next);
        assertThat(time.taken()).isLessThan(ROLE.ttl().plus(ROLE.interval()).plusSeconds(1));
        assertThat(next.election.term()).isGreaterThan(chronicle.lastTerm());
    }

    @Test
    void stoppedLeaderLeadsNoMoreWhenItGoesOn() throws Exception {
        Candidate next = closing(new Candidate(node, ROLE));
        child.signal("STOP");
        long promoted = promoted(next);
        long term = next.election.term();
        assertThat(term).isGreaterThan(chronicle.lastTerm());
        long said = child.said.get();
        child.signal("CONT");
        await().until(() -> child.said.get() > said + 20);
        assertThat(chronicle.lastLed("child")).as("by the clock both share").isLessThan(promoted);
        assertThat(next.election.isLeader()).isTrue();
        next.close();
        await().until(() -> child.leads() && chronicle.lastTerm() > term);
    }
}
