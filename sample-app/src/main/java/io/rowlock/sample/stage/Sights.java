package io.rowlock.sample.stage;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.context.event.EventListener;
import org.springframework.dao.DataAccessException;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Looks at all sights again and again while a page is open, and sends what is new. */
@Component
class Sights {

    private final Stage stage;
    private final JsonMapper json;
    private final Map<String, Sight> sights;
    private final Map<String, List<String>> sql = new ConcurrentHashMap<>();
    private final Map<String, Object> sent = new HashMap<>();
    private int openings;

    /** @param scenarios the sights of scenarios, by the names of their beans */
    Sights(Stage stage, JsonMapper json, LockTables tables, Map<String, Sight> scenarios) {
        this.stage = stage;
        this.json = json;
        this.sights = new HashMap<>(scenarios);
        sights.put("locks", tables::held);
        sights.put("log", tables::log);
        sights.put(Watch.SQL, () -> Map.copyOf(sql));
    }

    /** Notes the SQL of what nodes do without being asked. */
    @EventListener(condition = "#happened.topic == 'sql'")
    void on(Happened happened) {
        Watch.Sql latest = json.treeToValue(happened.data(), Watch.Sql.class);
        sql.put(latest.topic(), latest.statements());
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
            stage.tell("well", Map.of());
        } catch (DataAccessException e) {
            stage.tell("trouble", Map.of("sentence", "The database does not answer."));
        }
    }

    private void look(String topic, Sight sight) {
        Object seen = sight.look();
        if (!seen.equals(sent.put(topic, seen))) {
            stage.tell(topic, seen);
        }
    }
}
