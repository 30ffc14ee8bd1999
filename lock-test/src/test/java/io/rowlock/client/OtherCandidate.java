package io.rowlock.client;

import io.rowlock.leader.LeaderRole;
import io.rowlock.test.TestSchema;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A process that stands for election and says all the time whether it leads, by the clock all processes share. */
final class OtherCandidate {
    private OtherCandidate() {}

    public static void main(String[] arguments) {
        TestSchema schema = new TestSchema(arguments[0], arguments[1], arguments[2], arguments[3]);
        Node node = new Node(schema, "child");
        LeaderRole role = LeaderRole.named(arguments[4])
                .withTtl(Duration.parse(arguments[5]))
                .withInterval(Duration.parse(arguments[6]));
        Candidate candidate = new Candidate(node, role);
        while (!System.out.checkError()) {
            long before = System.nanoTime();
            boolean leads = candidate.election.isLeader();
            System.out.println("> " + (leads ? "leads " : "stands ") + before + " " + candidate.election.term());
            LockSupport.parkNanos(1_000_000);
        }
    }
}
