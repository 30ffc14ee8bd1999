package io.rowlock.sample.jobs;

import io.rowlock.sample.jobs.JobBooks.Jobs;
import io.rowlock.sample.jobs.NightlyTask.Done;
import io.rowlock.sample.jobs.NightlyTask.Start;
import io.rowlock.sample.node.Node;
import io.rowlock.sample.node.Nodes;
import io.rowlock.sample.watch.Moment;
import io.rowlock.sample.work.Shares;
import java.util.List;
import java.util.stream.IntStream;
import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /jobs}: who leads and what was handed out; {@code POST /nightly}: starts the job of the night everywhere. */
@RestController
@Profile("!node")
class JobsController {

    private final Nodes nodes;
    private final JobBooks books;

    JobsController(Nodes nodes, JobBooks books) {
        this.nodes = nodes;
        this.books = books;
    }

    @GetMapping("/jobs")
    Jobs jobs() {
        return books.jobs();
    }

    @PostMapping("/nightly")
    NightResult nightly() throws InterruptedException {
        List<Node> up = nodes.up(1);
        long night = Moment.now();
        List<Done> done = Shares.done(
                up,
                "start the job of the night",
                node -> new Start(night),
                Done.class,
                node -> new Done(false, List.of()));
        List<String> ran = IntStream.range(0, up.size())
                .filter(node -> done.get(node).ran())
                .mapToObj(node -> up.get(node).name())
                .toList();
        List<String> sql =
                done.stream().filter(Done::ran).findFirst().orElse(done.get(0)).sql();
        return new NightResult(night, up.size(), ran, books.runs(night), sql);
    }

    /**
     * What came of a night.
     *
     * @param night its number
     * @param started how many nodes started the job
     * @param ran the nodes that did it
     * @param rows how often it was done, as the rows have it
     * @param sql what a node sent to the database, in order
     */
    record NightResult(long night, int started, List<String> ran, int rows, List<String> sql) {}
}
