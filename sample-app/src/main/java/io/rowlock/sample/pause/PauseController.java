package io.rowlock.sample.pause;

import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code POST /pause}: makes the holder of a lock stand still past its ttl, and answers what came of it. */
@RestController
@Profile("!node")
class PauseController {

    private final PausedHolder holder;

    PauseController(PausedHolder holder) {
        this.holder = holder;
    }

    @PostMapping("/pause")
    PauseResult run(@RequestParam(defaultValue = "true") boolean lock) throws InterruptedException {
        return holder.run(lock);
    }
}
