package io.rowlock.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.leader.LeaderRole;
import io.rowlock.test.database.TestSchema;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that stands for election and looks all the time whether it leads. It says so every few milliseconds, and each
 * change. On a command, it closes as an application does, and begins anew.
 */
final class OtherCandidate {
    private static final long PAUSE = Duration.ofNanos(300_000).toNanos();
    private static final long SAY_EVERY = Duration.ofMillis(5).toNanos();

    private final TestSchema schema;
    private final String name;
    private final LeaderRole role;
    private volatile Candidate candidate;
    private volatile boolean away;

    private OtherCandidate(TestSchema schema, String name, LeaderRole role) {
        this.schema = schema;
        this.name = name;
        this.role = role;
        this.candidate = begin(0);
    }

    public static void main(String[] arguments) {
        LeaderRole role =
                new LeaderRole(arguments[5], Duration.parse(arguments[6]), Duration.parse(arguments[7]), true);
        TestSchema schema = new TestSchema(arguments[0], arguments[1], arguments[2], arguments[3]);
        OtherCandidate process = new OtherCandidate(schema, arguments[4], role);
        Thread obeying = new Thread(process::obey);
        obeying.setDaemon(true);
        obeying.start();
        process.watch();
    }

    private Candidate begin(int time) {
        return new Candidate(new Node(schema, name + "/" + time), role);
    }

    private void obey() {
        try (BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
            for (int time = 1; commands.readLine() != null; time++) {
                System.out.println("> closing " + System.nanoTime());
                candidate.close();
                candidate.node.close();
                away = true;
                String unused = commands.readLine();
                candidate = begin(time);
                away = false;
            }
        } catch (IOException | RuntimeException e) {
            // the process that gave commands is gone, or the database was for so long that it could not begin
        }
        Runtime.getRuntime().halt(0);
    }

    private void watch() {
        Reign reign = null;
        long saidAt = 0;
        while (true) {
            Candidate present = candidate;
            long term = present.election.term();
            long before = System.nanoTime();
            boolean leads = present.election.isLeader() && present.election.term() == term;
            long after = System.nanoTime();
            boolean goesOn = leads && reign != null && reign.term() == term;
            if (reign != null && !goesOn) {
                say(reign);
                reign = null;
                saidAt = 0;
            }
            if (leads) {
                reign = new Reign(name, term, goesOn ? reign.from() : after, goesOn ? before : after);
            }
            if (before - saidAt > SAY_EVERY) {
                say(reign);
                saidAt = before;
            }
            LockSupport.parkNanos(PAUSE);
        }
    }

    private void say(Reign reign) {
        System.out.println(
                reign == null
                        ? (away ? "> away" : "> stands")
                        : "> leads %d %d %d".formatted(reign.term(), reign.from(), reign.until()));
    }
}
