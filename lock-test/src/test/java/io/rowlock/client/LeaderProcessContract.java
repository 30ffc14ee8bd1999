package io.rowlock.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.leader.LeaderRole;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A leader in another process that dies or stands still. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "processes are stopped and killed by POSIX signals")
abstract class LeaderProcessContract extends ClientContract {
    private static final LeaderRole ROLE =
            LeaderRole.named("scheduler").withTtl(ofSeconds(2)).withInterval(ofMillis(200));

    private final List<Said> said = new CopyOnWriteArrayList<>();
    private Process child;

    /** @param at before the process asked itself, by the machine's monotonic clock */
    private record Said(boolean leads, long at, long term) {
        static Said of(String line) {
            String[] words = line.split(" ", 4);
            return new Said(words[1].equals("leads"), Long.parseLong(words[2]), Long.parseLong(words[3]));
        }
    }

    @BeforeEach
    void startChild() throws IOException {
        child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        OtherCandidate.class.getName(),
                        schema.name(),
                        schema.jdbcUrl(),
                        schema.username(),
                        schema.password(),
                        ROLE.name(),
                        ROLE.ttl().toString(),
                        ROLE.interval().toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Thread listening = new Thread(this::listen);
        listening.setDaemon(true);
        listening.start();
        await().atMost(ofSeconds(60)).until(this::leads);
    }

    private void listen() {
        try (BufferedReader output = new BufferedReader(new InputStreamReader(child.getInputStream(), UTF_8))) {
            output.lines().filter(line -> line.startsWith("> ")).map(Said::of).forEach(said::add);
        } catch (IOException | UncheckedIOException e) {
            // it ended in the middle of a line
        }
    }

    private boolean leads() {
        return !said.isEmpty() && said.get(said.size() - 1).leads();
    }

    private long lastLed() {
        return said.stream().filter(Said::leads).mapToLong(Said::at).max().orElseThrow();
    }

    private long term() {
        return said.stream().mapToLong(Said::term).max().orElseThrow();
    }

    @AfterEach
    void endChild() {
        child.destroyForcibly();
    }

    private void signal(String name) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(child.pid()))
                .inheritIO()
                .start();
        assertThat(kill.waitFor()).isZero();
    }

    /** @return when it was first seen to lead */
    private static long promoted(Candidate next) {
        await().pollInterval(ofMillis(5)).atMost(ofSeconds(30)).until(next.election::isLeader);
        return System.nanoTime();
    }

    @Test
    void killedLeaderIsReplacedWithinTtlAndInterval() throws Exception {
        Candidate next = closing(new Candidate(node, ROLE));
        long killed = System.nanoTime();
        signal("KILL");
        Duration taken = Duration.ofNanos(promoted(next) - killed);
        assertThat(taken).isLessThan(ROLE.ttl().plus(ROLE.interval()).plusSeconds(1));
        assertThat(next.election.term()).isGreaterThan(term());
    }

    @Test
    void stoppedLeaderLeadsNoMoreWhenItGoesOn() throws Exception {
        Candidate next = closing(new Candidate(node, ROLE));
        signal("STOP");
        long promoted = promoted(next);
        long term = next.election.term();
        assertThat(term).isGreaterThan(term());
        int heard = said.size();
        signal("CONT");
        await().until(() -> said.size() > heard + 100);
        assertThat(lastLed()).as("by the clock both share").isLessThan(promoted);
        assertThat(next.election.isLeader()).isTrue();
        next.close();
        await().until(this::leads);
        assertThat(term()).isGreaterThan(term);
    }
}
