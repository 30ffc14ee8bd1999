package io.rowlock.sample.stage;

import io.rowlock.DistributedLockException;
import io.rowlock.LockEvent;
import io.rowlock.LockListener;
import io.rowlock.LockMode;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.sample.stage.Visit.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionException;

/** Reports to the page what happens to the locks of this node, and what SQL it sends. Thread-safe. */
@Component
public class Watch implements LockListener {

    /** The prefix of keys that are acquired too often to look at. */
    public static final String RACE = "race:";

    static final String SQL = "sql";

    private static final Logger log = LoggerFactory.getLogger(Watch.class);

    /** The prefixes of keys that are not part of what was started on the page. */
    private static final List<String> UNWATCHED = List.of(RACE, "node:", "partition:");

    private final Outbox outbox;
    private final String node;
    private final Map<String, List<String>> longest = new ConcurrentHashMap<>();

    Watch(Outbox outbox, @Value("${sample.node}") String node) {
        this.outbox = outbox;
        this.node = node;
    }

    /** Returns false: a report must not come after what the same thread did next. */
    @Override
    public boolean mayBlock() {
        return false;
    }

    @Override
    public void onEvent(LockEvent event) {
        report(Moment.of(event, node));
    }

    /** Calls a service that acquires a lock, and shows from when on it was wanted. */
    public <T extends @Nullable Object> Visit<T> withLock(String key, LockMode mode, Supplier<T> service) {
        return visit("WAITING", key, mode, service);
    }

    /** Calls a service that should acquire a lock and does not. */
    public <T extends @Nullable Object> Visit<T> withoutLock(String key, Supplier<T> service) {
        return visit("UNLOCKED", key, null, service);
    }

    private <T extends @Nullable Object> Visit<T> visit(
            String kind, String key, @Nullable LockMode mode, Supplier<T> service) {
        report(Moment.of(kind, node, key, mode));
        List<String> sql = new ArrayList<>();
        try {
            return new Visit<>(Outcome.DONE, SqlWatch.record(sql, service), null, sql);
        } catch (LockNotAcquiredException e) {
            return new Visit<>(Outcome.GAVE_UP, null, e.getMessage(), sql);
        } catch (DistributedLockException | DataAccessException | TransactionException e) {
            log.warn("A visit failed: {}", e.getMessage());
            return new Visit<>(Outcome.FAILED, null, e.getMessage(), sql);
        } finally {
            report(Moment.of("DONE", node, key, mode));
        }
    }

    /** Runs something that no visitor asked for, and shows the SQL of it whenever it is more than ever before. */
    public void background(String topic, Runnable task) {
        List<String> sql = new ArrayList<>();
        try {
            SqlWatch.record(sql, () -> {
                task.run();
                return true;
            });
        } finally {
            if (sql.size() > longest.getOrDefault(topic, List.of()).size()) {
                longest.put(topic, sql);
                outbox.happened(SQL, new Sql(topic, sql));
            }
        }
    }

    private void report(Moment moment) {
        if (UNWATCHED.stream().noneMatch(moment.key()::startsWith)) {
            outbox.happened("moment", moment);
        }
    }

    /** The SQL of something in the background. */
    record Sql(String topic, List<String> statements) {}
}
