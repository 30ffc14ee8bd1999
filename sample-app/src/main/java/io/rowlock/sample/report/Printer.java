package io.rowlock.sample.report;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.annotation.DistributedSemaphore;
import io.rowlock.sample.stage.Span;
import java.time.Duration;
import java.util.Objects;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;
import org.springframework.stereotype.Service;

/**
 * Renders reports. A report needs much of what all nodes share, so that only some may be rendered at a
 * time. The row of each report notes when it was begun and when it was done, by the database's clock.
 */
@Service
class Printer {
    /** The permits of the annotation. */
    static final int PERMITS = 5;

    private static final Duration WORK = Duration.ofMillis(100);
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final JdbcClient database;
    private final LockClient locks;
    private final String node;

    Printer(JdbcClient database, LockClient locks, @Value("${sample.node}") String node) {
        this.database = database;
        this.locks = locks;
        this.node = node;
    }

    /** Renders a report with one of five permits. */
    @DistributedSemaphore(name = "report", key = "#batchId", permits = "5", waitTime = "2m")
    public long render(long batchId) {
        return draw(batchId);
    }

    /** Renders a report with one of as many permits as wanted: a number that only the call knows. */
    public long renderWithPermits(long batchId, int permits) {
        LockRequest request = LockRequest.permit("report:" + batchId, permits).withWaitTime(PATIENCE);
        try (HeldLock permit = locks.acquire(request)) {
            return draw(batchId);
        }
    }

    /** Renders a report without a permit. */
    public long renderWithoutPermit(long batchId) {
        return draw(batchId);
    }

    private long draw(long batchId) {
        KeyHolder key = new GeneratedKeyHolder();
        database.sql("INSERT INTO sample_report (batch_id, node) VALUES (?, ?)")
                .params(batchId, node)
                .update(key);
        long id = Objects.requireNonNull(key.getKey()).longValue();
        Span.pass(WORK);
        database.sql("UPDATE sample_report SET done_at = UTC_TIMESTAMP(6) WHERE id = ?")
                .param(id)
                .update();
        return id;
    }
}
