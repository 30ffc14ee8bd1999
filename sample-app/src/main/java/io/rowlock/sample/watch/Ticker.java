package io.rowlock.sample.watch;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.context.annotation.Profile;
import org.springframework.dao.DataAccessException;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Looks at the database again and again while a page is open, and sends what is new. */
@Component
@Profile("!node")
class Ticker {
    private final Stage stage;
    private final List<Sight> sights;
    private final Map<String, Object> sent = new HashMap<>();
    private int openings;
    private boolean troubled;

    Ticker(Stage stage, List<Sight> sights) {
        this.stage = stage;
        this.sights = sights;
    }

    @Scheduled(fixedDelay = 300)
    void look() {
        if (!stage.isWatched()) {
            return;
        }
        if (openings != stage.openings()) {
            openings = stage.openings();
            sent.clear();
        }
        try {
            sights.forEach(this::look);
            if (troubled) {
                troubled = false;
                stage.tell("well", Map.of());
            }
        } catch (DataAccessException e) {
            troubled = true;
            stage.tell("trouble", Map.of("sentence", "The database does not answer."));
        }
    }

    private void look(Sight sight) {
        Object seen = sight.look();
        if (!seen.equals(sent.put(sight.topic(), seen))) {
            stage.tell(sight.topic(), seen);
        }
    }
}
