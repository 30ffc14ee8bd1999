package io.rowlock.sample.source;

import io.rowlock.sample.input.BadInputException;
import java.util.List;
import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /source/{topic}}: the lines of this program that do what the page shows. */
@RestController
@Profile("!node")
class SourceController {

    private final Snippets snippets;

    SourceController(Snippets snippets) {
        this.snippets = snippets;
    }

    @GetMapping("/source/{topic}")
    List<Snippet> source(@PathVariable String topic) {
        return snippets.find(topic).orElseThrow(() -> BadInputException.unknown("topic", topic, snippets.topics()));
    }
}
