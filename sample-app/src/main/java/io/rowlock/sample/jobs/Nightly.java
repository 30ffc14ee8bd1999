package io.rowlock.sample.jobs;

import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.OnBusy;
import java.util.Optional;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The job of the night, which every node starts and one of them does. */
@Service
class Nightly {

    private final JdbcClient database;
    private final String node;

    Nightly(JdbcClient database, @Value("${sample.node}") String node) {
        this.database = database;
        this.node = node;
    }

    /** Runs on the node that comes first, and is skipped on the others, also on those that come two seconds late. */
    @DistributedLock(name = "nightly", waitTime = "0s", onBusy = OnBusy.SKIP, holdAtLeast = "2s")
    @Transactional
    public Optional<String> run(long night) {
        database.sql("INSERT INTO sample_night (night, node) VALUES (?, ?)")
                .params(night, node)
                .update();
        return Optional.of(node);
    }
}
