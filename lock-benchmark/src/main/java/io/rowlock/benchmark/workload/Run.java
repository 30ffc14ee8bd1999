package io.rowlock.benchmark.workload;

import io.rowlock.benchmark.contender.Ability;
import io.rowlock.benchmark.contender.Contender;
import io.rowlock.benchmark.contender.Contenders;
import io.rowlock.benchmark.contender.Participant;
import io.rowlock.benchmark.report.Samples;
import io.rowlock.benchmark.server.Meter;
import io.rowlock.benchmark.server.Servers;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** One run of the benchmark: its settings, its servers and what came of it so far. Used by one thread. */
public final class Run implements AutoCloseable {
    private static final int MAX_REASON = 200;

    private final Settings settings;
    private final Servers servers;
    private final Meter meter;
    private final Samples samples = new Samples();
    private final List<String> incidents = new ArrayList<>();
    private boolean failed;

    /**
     * @param settings what to run
     * @param servers where
     * @throws SQLException if the database cannot be asked
     */
    public Run(Settings settings, Servers servers) throws SQLException {
        this.settings = settings;
        this.servers = servers;
        this.meter = new Meter(servers);
    }

    /**
     * Measures one workload. One that cannot be measured is noted.
     *
     * @param workload which
     */
    public void measure(Workload workload) {
        long begin = System.nanoTime();
        say(workload.name());
        try {
            workload.measure(this);
        } catch (Exception e) {
            fail("`" + workload.name() + "` could not be measured", e);
        }
        say("  took " + Duration.ofNanos(System.nanoTime() - begin).toSeconds() + " s");
    }

    /** Contenders that were chosen, exclude other processes, can do what is needed and have their server. */
    List<Contender> contenders(Ability... needed) {
        return contendersInProcess(needed).stream()
                .filter(contender -> !contender.can(Ability.IN_PROCESS))
                .toList();
    }

    /** The same, and those that exclude threads of one process only. */
    List<Contender> contendersInProcess(Ability... needed) {
        return Contenders.all().stream()
                .filter(contender -> settings.includesContender(contender.name()))
                .filter(contender -> Arrays.stream(needed).allMatch(contender::can))
                .filter(contender -> servers.redisUrl() != null || !contender.can(Ability.REDIS))
                .toList();
    }

    /** Without those that show what a setting costs, where that has been shown already. */
    static List<Contender> withoutVariants(List<Contender> contenders) {
        return contenders.stream()
                .filter(contender -> !contender.can(Ability.VARIANT))
                .toList();
    }

    /** Lets contenders take turns in each round, beginning with another one each time; the first round does not count. */
    <P extends Participant> void rounds(String workload, List<P> contenders, int rounds, Turn<P> turn) {
        List<P> left = new ArrayList<>(contenders);
        samples.showInOrder(contenders.stream().map(Participant::name).toList());
        for (int round = 0; round <= rounds; round++) {
            for (P contender : inTurn(left, round)) {
                try {
                    take(turn, contender, round > 0);
                } catch (Exception e) {
                    left.remove(contender);
                    samples.remove(workload, contender.name());
                    fail("`%s` did not come through `%s`".formatted(contender.name(), workload), e);
                }
            }
        }
    }

    /** Takes a turn that failed once more: the machine or its disk may have stood still. */
    private static <P extends Participant> void take(Turn<P> turn, P contender, boolean counts) throws Exception {
        try {
            turn.take(contender, counts);
        } catch (Exception e) {
            System.out.println("  `%s` begins a turn anew: %s".formatted(contender.name(), e));
            turn.take(contender, counts);
        }
    }

    private static <P> List<P> inTurn(List<P> contenders, int round) {
        List<P> turned = new ArrayList<>(contenders);
        if (!turned.isEmpty()) {
            Collections.rotate(turned, -(round % turned.size()));
        }
        return turned;
    }

    /** What a contender does in one round. */
    @FunctionalInterface
    interface Turn<P extends Participant> {
        void take(P contender, boolean counts) throws Exception;
    }

    private void fail(String what, Exception e) {
        failed = true;
        incident(what + ": " + firstLine(e));
        e.printStackTrace(System.out);
    }

    private static String firstLine(Exception e) {
        String line = String.valueOf(e).lines().findFirst().orElse("");
        return line.length() <= MAX_REASON ? line : line.substring(0, MAX_REASON) + "…";
    }

    /**
     * Notes something a reader of the results has to know.
     *
     * @param what what happened
     */
    public void incident(String what) {
        incidents.add(what);
        say("  " + what);
    }

    static void say(String line) {
        System.out.println(line);
    }

    Settings settings() {
        return settings;
    }

    Servers servers() {
        return servers;
    }

    Meter meter() {
        return meter;
    }

    /** @return what was measured so far */
    public Samples samples() {
        return samples;
    }

    /** @return what was left out or went wrong */
    public List<String> incidents() {
        return incidents;
    }

    /** @return whether anything went wrong */
    public boolean failed() {
        return failed;
    }

    @Override
    public void close() throws SQLException {
        meter.close();
    }
}
