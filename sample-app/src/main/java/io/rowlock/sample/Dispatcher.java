package io.rowlock.sample;

import io.rowlock.leader.LeaderElection;
import io.rowlock.leader.LeaderOnly;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Profile;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Hands out a job every second, on the one node that leads. */
@Service
@Profile("node")
class Dispatcher {

    private final JdbcClient database;
    private final LeaderElection election;
    private final String node;

    Dispatcher(
            JdbcClient database,
            @Qualifier("dispatcher") LeaderElection election,
            @Value("${sample.node}") String node) {
        this.database = database;
        this.election = election;
        this.node = node;
    }

    /** Every node calls it every second; only the leader runs it, and commits only while it leads. */
    @Scheduled(fixedDelay = 1000)
    @LeaderOnly("dispatcher")
    @Transactional
    public void dispatch() {
        database.sql("INSERT INTO sample_job (node, term) VALUES (?, ?)")
                .params(node, election.term())
                .update();
    }
}
