package io.rowlock.verification.node;

import io.rowlock.leader.LeaderElection;
import io.rowlock.verification.history.Event.Kind;
import io.rowlock.verification.history.Recorder;
import java.util.concurrent.atomic.AtomicBoolean;

/** Notes when this node leads, by its own account. */
final class LeaderWatch {
    private static final long LONGEST_NANOS = 200_000_000;

    private LeaderWatch() {}

    static void start(LeaderElection election, Work work, Recorder recorder) {
        Thread watch = new Thread(() -> run(election, work, recorder), "leader");
        watch.setDaemon(true);
        watch.start();
    }

    private static boolean runs(Work work) {
        AtomicBoolean ran = new AtomicBoolean();
        work.lead(() -> ran.set(true));
        return ran.get();
    }

    private static void run(LeaderElection election, Work work, Recorder recorder) {
        boolean isAnnotated = false;
        long since = -1;
        long seen = -1;
        long term = -1;
        while (true) {
            long asked = Recorder.now();
            isAnnotated = !isAnnotated;
            boolean leads = isAnnotated ? runs(work) : election.isLeader();
            long answered = Recorder.now();
            long now = leads ? election.term() : -1;
            if (since >= 0 && (!leads || now != term || answered - since > LONGEST_NANOS)) {
                recorder.add(seen, 0, Kind.LED, "judge", Long.toString(since), term);
                since = leads && now == term ? seen : -1;
            }
            if (leads) {
                since = since < 0 ? answered : since;
                seen = Math.max(asked, since);
                term = now;
            }
            Increments.sleep(5);
        }
    }
}
