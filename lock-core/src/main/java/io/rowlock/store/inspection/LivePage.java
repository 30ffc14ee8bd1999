package io.rowlock.store.inspection;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some of the locks that are held.
 *
 * @param locks the locks
 * @param next the cursor of the page behind it, which only the store that made it can read; null if this is the last page
 */
public record LivePage(List<LiveLock> locks, @Nullable String next) {
    public LivePage {
        locks = List.copyOf(locks);
    }
}
