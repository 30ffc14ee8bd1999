package io.rowlock.sample.watch;

import io.rowlock.sample.watch.LockTables.Grant;
import io.rowlock.sample.watch.LockTables.Held;
import java.util.List;
import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** {@code GET /events}, {@code /locks} and {@code /log}: what happens, who holds what, and who held what. */
@RestController
@Profile("!node")
class WatchController {

    private final Stage stage;
    private final LockTables tables;

    WatchController(Stage stage, LockTables tables) {
        this.stage = stage;
        this.tables = tables;
    }

    @GetMapping("/events")
    SseEmitter events() {
        return stage.open();
    }

    @GetMapping("/locks")
    List<Held> held() {
        return tables.held();
    }

    @GetMapping("/log")
    List<Grant> log() {
        return tables.log();
    }
}
