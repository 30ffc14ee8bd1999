package io.rowlock.sample.jobs;

import io.rowlock.sample.watch.Moment;
import io.rowlock.sample.watch.Sight;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Profile;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Repository;

/** The jobs that were handed out, who leads, and who did the job of the night. */
@Repository
@Profile("!node")
class JobBooks implements Sight {

    private static final String LEADER = """
            SELECT SUBSTRING_INDEX(owner, '#', 1) AS node,
                   SUBSTRING_INDEX(SUBSTRING_INDEX(owner, '#', -1), '-', 1) AS pid,
                   fence AS term
            FROM rowlock_locks_held
            WHERE lock_key = 'leader:dispatcher'
            """;

    /** A job of an earlier term after one of a later term: two led at the same time. */
    private static final String OUT_OF_TERM = """
            SELECT COUNT(*)
            FROM sample_job later
            JOIN (SELECT id, MAX(term) OVER (ORDER BY id) AS highest FROM sample_job) before_it ON before_it.id = later.id
            WHERE later.term < before_it.highest
            """;

    private final JdbcClient database;

    JobBooks(JdbcClient database) {
        this.database = database;
    }

    Jobs jobs() {
        List<Leader> leaders = database.sql(LEADER).query(Leader.class).list();
        return new Jobs(
                leaders.isEmpty() ? null : leaders.get(0),
                byNode("SELECT node, COUNT(*) FROM sample_job GROUP BY node ORDER BY node"),
                database.sql(OUT_OF_TERM).query(Integer.class).single(),
                byNode("SELECT node, COUNT(*) FROM sample_night GROUP BY node ORDER BY node"));
    }

    private Map<String, Integer> byNode(String sql) {
        Map<String, Integer> byNode = new LinkedHashMap<>();
        database.sql(sql).query(row -> {
            byNode.put(row.getString(1), row.getInt(2));
        });
        return byNode;
    }

    /** How many nodes did the job of a night. */
    int runs(long night) {
        return database.sql("SELECT COUNT(*) FROM sample_night WHERE night = ?")
                .param(night)
                .query(Integer.class)
                .single();
    }

    /** A sample that runs for days should not fill a disk. */
    @Scheduled(fixedDelay = 60_000)
    void forgetOldJobs() {
        database.sql("DELETE FROM sample_job WHERE at < UTC_TIMESTAMP(6) - INTERVAL 10 MINUTE")
                .update();
        database.sql("DELETE FROM sample_night WHERE night < ?")
                .param(Moment.now() - TimeUnit.MINUTES.toMicros(10))
                .update();
    }

    @Override
    public String topic() {
        return "jobs";
    }

    @Override
    public Object look() {
        return jobs();
    }

    /**
     * Who leads, and what was handed out in the last minutes.
     *
     * @param leader the holder of the leadership lock, or null if there is none at the moment
     * @param byNode how many jobs each node handed out
     * @param outOfTerm how many jobs a node handed out though another one had become leader
     * @param nightsByNode how many times each node did the job of the night
     */
    record Jobs(
            @Nullable Leader leader, Map<String, Integer> byNode, int outOfTerm, Map<String, Integer> nightsByNode) {}

    /**
     * The node that leads, or did until its process was killed or paused: the lease lasts a while longer.
     *
     * @param node its name
     * @param pid the process that was elected; the node may have another one by now
     * @param term the fencing token of its leadership
     */
    record Leader(String node, long pid, long term) {}
}
