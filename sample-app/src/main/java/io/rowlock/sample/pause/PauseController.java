package io.rowlock.sample.pause;

import io.rowlock.sample.input.BadInputException;
import io.rowlock.sample.node.Nodes;
import io.rowlock.sample.watch.Strategies;
import java.util.List;
import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * {@code POST /pause}: makes the holder of a lock stand still past its ttl, and answers what came of it. {@code GET /pause}: the
 * strategies that the lock may have.
 */
@RestController
@Profile("!node")
class PauseController {

    private final PausedHolder holder;
    private final List<String> known;

    PauseController(PausedHolder holder, Strategies strategies, Nodes nodes) {
        this.holder = holder;
        this.known = known(strategies.names(), nodes.arePausedBySignal());
    }

    /** Without signals a node would go on to renew its leases in Redis: only its statements stand still. */
    static List<String> known(List<String> strategies, boolean bySignal) {
        return bySignal && strategies.contains(Strategies.REDIS)
                ? List.of(Strategies.LEASE, Strategies.REDIS)
                : List.of(Strategies.LEASE);
    }

    @GetMapping("/pause")
    List<String> strategies() {
        return known;
    }

    @PostMapping("/pause")
    PauseResult run(
            @RequestParam(defaultValue = "true") boolean lock,
            @RequestParam(defaultValue = Strategies.LEASE) String strategy)
            throws InterruptedException {
        if (!known.contains(strategy)) {
            throw BadInputException.unknown("strategy", strategy, known);
        }
        return holder.run(lock ? strategy : null);
    }
}
