package io.rowlock.store.memory;

import io.rowlock.LockMode;
import io.rowlock.store.Lease;
import io.rowlock.store.inspection.KeyRange;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.inspection.StoreInspection;
import io.rowlock.store.inspection.StoreInspection.Holder;
import io.rowlock.store.inspection.StoreInspection.LivePage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Shows an {@link InMemoryTable} to an operator. */
record InMemoryInspection(InMemoryTable table) implements StoreInspection {
    @Override
    public LivePage page(String prefix, @Nullable String cursor, int limit) {
        KeyRange range = KeyRange.of(prefix, cursor);
        List<LiveLock> locks = table.live(key -> key.startsWith(prefix)).stream()
                .filter(lock -> range.contains(lock.key(), lock.slot()))
                .limit(limit + 1L)
                .toList();
        return KeyRange.page(locks, limit);
    }

    @Override
    public List<LiveLock> holders(String key) {
        return table.live(key::equals);
    }

    @Override
    public Optional<Holder> holder(String key, LockMode mode) {
        return table.ask(key, row -> row.holder(mode));
    }

    @Override
    public boolean end(LiveLock lock) {
        Long fence = lock.fence();
        return fence != null
                && table.ask(
                        lock.key(),
                        row -> row.release(
                                new Lease(lock.key(), lock.mode(), lock.slot(), fence, lock.owner()), Duration.ZERO));
    }

    @Override
    public void requireUsable() {}

    @Override
    public void requireRights() {}
}
