package io.rowlock.sample.jobs;

import io.rowlock.leader.LeaderElection;
import io.rowlock.leader.LeaderOnly;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Profile;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Hands out jobs, on the one node that leads. */
@Service
@Profile("node")
class Dispatcher {

    private final JdbcClient database;
    private final LeaderElection election;
    private final Courier courier;
    private final String node;

    Dispatcher(
            JdbcClient database,
            @Qualifier("dispatcher") LeaderElection election,
            Courier courier,
            @Value("${sample.node}") String node) {
        this.database = database;
        this.election = election;
        this.courier = courier;
        this.node = node;
    }

    /** Every node calls it every second; only the leader runs it, and commits only while it leads. */
    @LeaderOnly("dispatcher")
    @Transactional
    public void dispatch() {
        long term = election.term();
        courier.carry(); // takes his time; meanwhile the whole process may be made to stand still
        database.sql("INSERT INTO sample_job (node, term) VALUES (?, ?)")
                .params(node, term)
                .update();
    }
}
