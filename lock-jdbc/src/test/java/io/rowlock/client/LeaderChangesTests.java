package io.rowlock.client;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.leader.LeaderRole;
import io.rowlock.servers.Cable;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.TestSchema;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * Forced changes among three processes: a few with {@code -Pfull}, hundreds with {@code -Drowlock.leader.changes=210}. The
 * database is restarted by the command {@code -Drowlock.leader.restart=…}; without one, all connections end and none can be
 * made for a while.
 */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "processes are stopped and killed by POSIX signals")
@Order(17)
@OnEachServer(inBothBuilds = true)
@Tag("full")
class LeaderChangesTests {
    private static final int CHANGES = Integer.getInteger("rowlock.leader.changes", 9);
    private static final boolean MANY = CHANGES >= 200;
    private static final String RESTART = System.getProperty("rowlock.leader.restart", "");
    private static final int CHANGES_UNTIL_RESTART = MANY ? 21 : 9;
    private static final LeaderRole ROLE =
            new LeaderRole("scheduler", ofSeconds(2), MANY ? ofSeconds(1) : ofMillis(300), true);

    private final Chronicle chronicle = new Chronicle();
    private final List<CandidateProcess> processes = new ArrayList<>();
    private final Map<Change, List<Duration>> takenOver = new EnumMap<>(Change.class);
    private TestSchema schema;
    private Cable cable;
    private int started;
    private int ledOn;

    private enum Change {
        CLOSED,
        KILLED,
        STOPPED,
        RESTARTED
    }

    @BeforeEach
    void start(TestSchema given) throws IOException {
        cable = new Cable(given.jdbcUrl());
        String url = RESTART.isEmpty() ? cable.url() : given.jdbcUrl();
        schema = new TestSchema(given.name(), url, given.username(), given.password());
        for (int i = 0; i < 3; i++) {
            startProcess();
        }
    }

    @AfterEach
    void stop() throws IOException {
        processes.forEach(CandidateProcess::close);
        cable.close();
    }

    private void startProcess() throws IOException {
        processes.add(new CandidateProcess(schema, "process " + ++started, ROLE, chronicle));
    }

    @Test
    void neverDoTwoLeadAndTermsGrow(DatabaseServer server) throws Exception {
        for (int number = 0; number < CHANGES; number++) {
            Change change = change(number);
            CandidateProcess leader = awaitLeaderAndOthers(change == Change.CLOSED ? 2 : 1);
            force(change, leader)
                    .ifPresent(time -> takenOver
                            .computeIfAbsent(change, kind -> new ArrayList<>())
                            .add(time));
            chronicle.assertThatNeverTwoLedAndTermsGrew();
        }
        report(server);
        assertThat(chronicle.all()).hasSizeGreaterThan(CHANGES - ledOn);
        if (MANY) {
            assertThat(percentile(Change.CLOSED, 99)).isLessThan(ofSeconds(1));
            assertThat(percentile(Change.KILLED, 100))
                    .isLessThan(ROLE.ttl().plus(ROLE.interval()).plusSeconds(1));
        }
    }

    private static Change change(int number) {
        if (number % CHANGES_UNTIL_RESTART == CHANGES_UNTIL_RESTART - 1) {
            return Change.RESTARTED;
        }
        return List.of(Change.CLOSED, Change.KILLED, Change.CLOSED, Change.STOPPED)
                .get(number % 4);
    }

    private CandidateProcess awaitLeaderAndOthers(int others) {
        return await().atMost(ofSeconds(90))
                .pollInterval(ofMillis(2))
                .until(this::leaderNow, leader -> leader.isPresent() && standing() >= others)
                .orElseThrow();
    }

    /** Who could not begin, for want of a database, is replaced first. */
    private Optional<CandidateProcess> leaderNow() throws IOException {
        processes.removeIf(process -> !process.isAlive());
        while (processes.size() < 3) {
            startProcess();
        }
        return leader();
    }

    private Optional<CandidateProcess> leader() {
        return processes.stream().filter(CandidateProcess::leads).findFirst();
    }

    private long standing() {
        return processes.stream().filter(CandidateProcess::stands).count();
    }

    private Duration awaitNextAfter(long moment) {
        return await().atMost(ofSeconds(90))
                .pollInterval(ofMillis(2))
                .until(() -> chronicle.nextAfter(moment), Optional::isPresent)
                .orElseThrow();
    }

    /** @return how long it took until there was another leader, if there was to be one */
    private Optional<Duration> force(Change change, CandidateProcess leader) throws Exception {
        return switch (change) {
            case CLOSED -> Optional.of(closed(leader));
            case KILLED -> Optional.of(killed(leader));
            case STOPPED -> Optional.of(stopped(leader));
            case RESTARTED -> restarted(leader);
        };
    }

    private Duration closed(CandidateProcess leader) throws Exception {
        leader.tellToClose();
        await().atMost(ofSeconds(30)).pollInterval(ofMillis(2)).until(() -> leader.closingAt() > 0);
        Duration time = awaitNextAfter(leader.closingAt());
        leader.tellToBegin();
        return time;
    }

    private Duration killed(CandidateProcess leader) throws Exception {
        long since = System.nanoTime();
        leader.signal("KILL");
        processes.remove(leader);
        startProcess();
        return awaitNextAfter(since);
    }

    private Duration stopped(CandidateProcess leader) throws Exception {
        long since = System.nanoTime();
        leader.signal("STOP");
        Duration time = awaitNextAfter(since);
        long said = leader.said.get();
        leader.signal("CONT");
        await().atMost(ofSeconds(30)).until(() -> leader.said.get() > said + 3);
        return time;
    }

    /** It may lead on, if the database is back soon enough. */
    private Optional<Duration> restarted(CandidateProcess leader) throws Exception {
        long term = chronicle.lastTerm();
        long since = System.nanoTime();
        if (RESTART.isEmpty()) {
            cable.down();
            await().atMost(ofSeconds(30)).until(() -> !leader.leads());
            cable.up();
        } else {
            Process command =
                    new ProcessBuilder("sh", "-c", RESTART).inheritIO().start();
            assertThat(command.waitFor()).isZero();
        }
        long up = System.nanoTime();
        await().atMost(ofSeconds(90))
                .until(() -> chronicle.lastTerm() > term
                        || chronicle.lastLed(leader.name) - up > ROLE.ttl().toNanos());
        if (chronicle.lastTerm() > term) {
            return Optional.of(awaitNextAfter(since));
        }
        ledOn++;
        return Optional.empty();
    }

    private Duration percentile(Change change, int percent) {
        List<Duration> sorted = takenOver.get(change).stream().sorted().toList();
        return sorted.get((sorted.size() * percent + 99) / 100 - 1);
    }

    private void report(DatabaseServer server) {
        StringBuilder text = new StringBuilder("%nLeader changes on %s %s: %d, ttl %s, interval %s, %d terms%n"
                .formatted(
                        server.flavor().label(),
                        server.version(),
                        CHANGES,
                        ROLE.ttl(),
                        ROLE.interval(),
                        chronicle.all().size()));
        takenOver.forEach((change, times) ->
                text.append("%10s %4d times, taken over after p50 %4d, p99 %4d, max %4d ms%n"
                        .formatted(
                                change,
                                times.size(),
                                percentile(change, 50).toMillis(),
                                percentile(change, 99).toMillis(),
                                percentile(change, 100).toMillis())));
        System.out.println(text);
    }
}
