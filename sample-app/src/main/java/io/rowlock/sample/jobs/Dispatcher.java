package io.rowlock.sample.jobs;

import io.rowlock.leader.LeaderElection;
import io.rowlock.leader.LeaderOnly;
import io.rowlock.sample.stage.Outbox;
import io.rowlock.sample.stage.Span;
import java.time.Duration;
import java.util.Map;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Profile;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Hands out jobs, on the one node that leads. */
@Service
@Profile("node")
class Dispatcher {

    static final String COURIER_LEAVES = "courier leaves";
    private static final Duration WAY = Duration.ofMillis(400);

    private final JdbcClient database;
    private final LeaderElection election;
    private final Outbox outbox;
    private final String node;

    Dispatcher(
            JdbcClient database,
            @Qualifier("dispatcher") LeaderElection election,
            Outbox outbox,
            @Value("${sample.node}") String node) {
        this.database = database;
        this.election = election;
        this.outbox = outbox;
        this.node = node;
    }

    /** Hands out a job. Every node calls it every second; only the leader runs it, and commits only while it leads. */
    @LeaderOnly("dispatcher")
    @Transactional
    public void dispatch() {
        long term = election.term();
        outbox.happened(COURIER_LEAVES, Map.of());
        Span.pass(WAY); // meanwhile the whole process may be made to stand still
        database.sql("INSERT INTO sample_job (node, term) VALUES (?, ?)")
                .params(node, term)
                .update();
    }

    /** Deletes old jobs: a sample that runs for days should not fill a disk. */
    @Scheduled(fixedDelay = 60_000)
    @LeaderOnly("dispatcher")
    @Transactional
    public void forget() {
        database.sql("DELETE FROM sample_job WHERE at < UTC_TIMESTAMP(6) - INTERVAL 10 MINUTE")
                .update();
        database.sql("""
                        DELETE FROM sample_night
                        WHERE night < TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6) - INTERVAL 10 MINUTE)
                        """).update();
    }
}
