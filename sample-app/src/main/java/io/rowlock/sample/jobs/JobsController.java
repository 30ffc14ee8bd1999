package io.rowlock.sample.jobs;

import io.rowlock.LockMode;
import io.rowlock.sample.stage.Books;
import io.rowlock.sample.stage.Node;
import io.rowlock.sample.stage.Nodes;
import io.rowlock.sample.stage.Run;
import io.rowlock.sample.stage.Sight;
import io.rowlock.sample.stage.Span;
import io.rowlock.sample.stage.Visit;
import io.rowlock.sample.stage.Watch;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /jobs}: the leader and the jobs it handed out; {@code POST /nightly}: starts the job of the night everywhere. */
@RestController("jobs")
class JobsController implements Sight {

    private static final ParameterizedTypeReference<Visit<Boolean>> NIGHT = new ParameterizedTypeReference<>() {};

    private static final String LEADER = """
            SELECT SUBSTRING_INDEX(owner, '#', 1) AS node,
                   SUBSTRING_INDEX(SUBSTRING_INDEX(owner, '#', -1), '-', 1) AS pid,
                   fence AS term
            FROM rowlock_locks_held
            WHERE lock_key = 'leader:dispatcher'
            """;

    /** Counts jobs of an earlier term after one of a later term: two led at the same time. */
    private static final String OUT_OF_TERM = """
            SELECT COUNT(*)
            FROM sample_job later
            JOIN (SELECT id, MAX(term) OVER (ORDER BY id) AS highest FROM sample_job) before_it ON before_it.id = later.id
            WHERE later.term < before_it.highest
            """;

    private final Nightly nightly;
    private final JdbcClient database;
    private final Books books;
    private final Nodes nodes;
    private final Watch watch;

    JobsController(Nightly nightly, JdbcClient database, Books books, Nodes nodes, Watch watch) {
        this.nightly = nightly;
        this.database = database;
        this.books = books;
        this.nodes = nodes;
        this.watch = watch;
    }

    /** Starts the job of a night on this node; answers if it ran here. */
    @PostMapping("/nightly/{night}")
    Visit<Boolean> start(@PathVariable long night) {
        return watch.withLock(
                "nightly", LockMode.EXCLUSIVE, () -> nightly.run(night).isPresent());
    }

    @PostMapping("/nightly")
    NightResult nightly() throws InterruptedException {
        List<Node> up = nodes.up(1);
        long night = Span.now();
        Run<Boolean> run = Run.of(up, up.size(), node -> "/nightly/" + night, NIGHT);
        List<String> ran = IntStream.range(0, up.size())
                .filter(node -> Boolean.TRUE.equals(run.visits().get(node).result()))
                .mapToObj(node -> up.get(node).name())
                .toList();
        long rows = books.number("SELECT COUNT(*) FROM sample_night WHERE night = ?", night);
        return new NightResult(night, up.size(), ran, rows, run.sql());
    }

    @GetMapping("/jobs")
    @Override
    public Jobs look() {
        return new Jobs(
                database.sql(LEADER).query(Leader.class).optional().orElse(null),
                books.byNode("SELECT node, COUNT(*) FROM sample_job GROUP BY node ORDER BY node"),
                books.number(OUT_OF_TERM),
                books.byNode("SELECT node, COUNT(*) FROM sample_night GROUP BY node ORDER BY node"));
    }

    /**
     * The leader, and the jobs of the last minutes.
     *
     * @param leader the holder of the leadership lock, or null if there is none at the moment
     * @param byNode the jobs that each node handed out
     * @param outOfTerm the jobs that a node handed out though another one had become leader
     * @param nightsByNode the nights on which each node did the job of the night
     */
    record Jobs(
            @Nullable Leader leader, Map<String, Integer> byNode, long outOfTerm, Map<String, Integer> nightsByNode) {}

    /**
     * The node that leads, or did until its process was killed or paused: the lease lasts a while longer.
     *
     * @param node its name
     * @param pid the process that was elected; the node may have another one by now
     * @param term the fencing token of its leadership
     */
    record Leader(String node, long pid, long term) {}

    /**
     * The result of a night.
     *
     * @param night its number
     * @param started the number of nodes that started the job
     * @param ran the nodes that did it
     * @param rows the number of times that it was done, as the rows have it
     * @param sql the statements that a node sent to the database, in order
     */
    record NightResult(long night, int started, List<String> ran, long rows, List<String> sql) {}
}
