package io.rowlock.sample.stage;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /nodes}, and {@code POST /nodes/{name}/{action}} to start, stop, pause, resume or kill one. */
@RestController
class NodesController {

    private static final Map<String, Consumer<Node>> ACTIONS = new TreeMap<>(Map.of(
            "start", Node::start,
            "stop", Node::stop,
            "pause", Node::pause,
            "resume", Node::resume,
            "kill", Node::kill));

    private final Nodes nodes;

    NodesController(Nodes nodes) {
        this.nodes = nodes;
    }

    @GetMapping("/nodes")
    List<NodeView> nodes() {
        return nodes.views();
    }

    @PostMapping("/nodes/{name}/{action}")
    NodeView act(@PathVariable String name, @PathVariable String action) {
        Node node = nodes.named(name);
        Refusal.checkKnown("action", action, ACTIONS.keySet());
        ACTIONS.getOrDefault(action, unknown -> {}).accept(node);
        return node.view();
    }
}
