package io.rowlock.sample.start;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Says where the page is. */
@Component
class Welcome {

    private static final Logger log = LoggerFactory.getLogger(Welcome.class);

    @EventListener
    void say(WebServerInitializedEvent event) {
        log.info(
                "Open http://localhost:{}; the nodes are starting",
                event.getWebServer().getPort());
    }
}
