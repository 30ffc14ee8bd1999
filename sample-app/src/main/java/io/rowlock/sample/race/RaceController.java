package io.rowlock.sample.race;

import io.rowlock.sample.input.BadInputException;
import io.rowlock.sample.watch.Strategies;
import java.util.List;
import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * {@code POST /race}: has the nodes race for a lock with each strategy, and answers how fast each was. {@code GET /race}: these
 * strategies.
 */
@RestController
@Profile("!node")
class RaceController {
    private static final int MAX_MILLIS = 10_000;

    private final Race race;
    private final Strategies strategies;

    RaceController(Race race, Strategies strategies) {
        this.race = race;
        this.strategies = strategies;
    }

    @GetMapping("/race")
    List<String> strategies() {
        return strategies.names();
    }

    @PostMapping("/race")
    List<RaceResult> run(@RequestParam(defaultValue = "2000") int millis) throws InterruptedException {
        BadInputException.check("millis", millis, MAX_MILLIS);
        return race.run(millis);
    }
}
