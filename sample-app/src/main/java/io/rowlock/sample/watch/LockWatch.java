package io.rowlock.sample.watch;

import io.rowlock.LockEvent;
import io.rowlock.LockListener;
import io.rowlock.LockMode;
import io.rowlock.sample.node.Outbox;
import io.rowlock.sample.watch.Moment.Kind;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/** Reports to the page what happens to the locks of this node. */
@Component
@Profile("node")
public class LockWatch implements LockListener {
    /** Keys that are taken too often to look at begin with this. */
    public static final String RACE = "race:";

    /** Keys that are not part of what was started on the page. */
    private static final List<String> UNWATCHED = List.of(RACE, "node:", "partition:");

    private final Outbox outbox;
    private final String node;

    LockWatch(Outbox outbox, @Value("${sample.node}") String node) {
        this.outbox = outbox;
        this.node = node;
    }

    /** A report must not come after what the same thread did next. */
    @Override
    public boolean mayBlock() {
        return false;
    }

    @Override
    public void onEvent(LockEvent event) {
        if (UNWATCHED.stream().noneMatch(event.key()::startsWith)) {
            outbox.happened("moment", Moment.of(event, node));
        }
    }

    /** Calls something that takes a lock, and shows from when on it was wanted. */
    public <T extends @Nullable Object> T wanting(String key, LockMode mode, Supplier<T> call) {
        return between(Kind.WAITING, key, mode, call);
    }

    /** Calls something that should take a lock and does not. */
    public <T extends @Nullable Object> T without(String key, Supplier<T> call) {
        return between(Kind.UNLOCKED, key, null, call);
    }

    private <T extends @Nullable Object> T between(Kind kind, String key, @Nullable LockMode mode, Supplier<T> call) {
        outbox.happened("moment", Moment.of(kind, node, key, mode));
        try {
            return call.get();
        } finally {
            outbox.happened("moment", Moment.of(Kind.DONE, node, key, mode));
        }
    }
}
