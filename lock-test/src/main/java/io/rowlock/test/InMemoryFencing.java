package io.rowlock.test;

import io.rowlock.store.CommitFencing;
import io.rowlock.store.Fence;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Every transaction, wherever its connections come from, is checked on the table in memory. */
record InMemoryFencing(String strategy, Fence fence) implements CommitFencing {
    @Override
    public Optional<Fence> fenceOn(@Nullable DataSource transactional) {
        return Optional.of(fence);
    }
}
