package io.rowlock.recipes.modulith;

import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.OnBusy;
import java.time.Duration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.modulith.events.IncompleteEventPublications;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

record OrderPlaced(long order) {}

@Component
class Shipping {
    private final JdbcTemplate jdbc;

    Shipping(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @ApplicationModuleListener
    @DistributedLock(name = "order", key = "#placed.order()", waitTime = "30s")
    public void on(OrderPlaced placed) {
        Integer shipped =
                jdbc.queryForObject("SELECT COUNT(*) FROM shipment WHERE order_id = ?", Integer.class, placed.order());
        if (shipped == 0) { // an event may come again
            jdbc.update("INSERT INTO shipment VALUES (?)", placed.order());
        }
    }
}

@Component
class Resubmission {
    private final IncompleteEventPublications publications;

    Resubmission(IncompleteEventPublications publications) {
        this.publications = publications;
    }

    @Scheduled(fixedDelay = 60_000)
    @DistributedLock(name = "resubmission", waitTime = "0s", onBusy = OnBusy.SKIP, holdAtLeast = "30s")
    public void run() {
        publications.resubmitIncompletePublicationsOlderThan(Duration.ofMinutes(5));
    }
}
