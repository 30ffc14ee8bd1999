package io.rowlock.sample.watch;

import io.rowlock.sample.node.Happened;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** The SQL of what nodes do without being asked, by topic. Thread-safe. */
@Component
@Profile("!node")
class SqlSight implements Sight {
    private final JsonMapper json;
    private final Map<String, List<String>> seen = new ConcurrentHashMap<>();

    SqlSight(JsonMapper json) {
        this.json = json;
    }

    @EventListener(condition = "#happened.topic == 'sql'")
    void on(Happened happened) {
        SqlShown.Seen latest = json.treeToValue(happened.data(), SqlShown.Seen.class);
        seen.put(latest.topic(), latest.statements());
    }

    @Override
    public String topic() {
        return SqlShown.TOPIC;
    }

    @Override
    public Object look() {
        return Map.copyOf(seen);
    }
}
