package io.rowlock.autoconfigure.transaction;

import io.rowlock.client.lock.StaleReads;
import java.util.List;
import java.util.Objects;
import org.hibernate.LockMode;
import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.engine.spi.EntityEntryExtraState;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.event.spi.AbstractPreDatabaseOperationEvent;
import org.hibernate.event.spi.PostLoadEvent;
import org.hibernate.event.spi.PostLoadEventListener;
import org.hibernate.event.spi.PreDeleteEvent;
import org.hibernate.event.spi.PreDeleteEventListener;
import org.hibernate.event.spi.PreUpdateEvent;
import org.hibernate.event.spi.PreUpdateEventListener;
import org.jspecify.annotations.Nullable;

/**
 * Refuses to update or delete, under a lock, an entity that the persistence context had before the lock: JPA does not read it again, so
 * its state may be older than the commit of the former holder. An entity that has a version, was refreshed under the lock, or was
 * written or read with a row lock by the same transaction passes; one that was locked after it was loaded does not, as Hibernate does not
 * read it again. Thread-safe.
 */
record EarlyEntityCheck(StaleReads staleReads)
        implements PostLoadEventListener, PreUpdateEventListener, PreDeleteEventListener {
    /** Notes the locks under which it was loaded or refreshed. One that was loaded under none bears no note. */
    @Override
    public void onPostLoad(PostLoadEvent event) {
        EntityEntry entry = entry(event.getSession(), event.getEntity());
        if (entry == null) {
            return;
        }
        List<Object> held = staleReads.held();
        boolean rowLocked = entry.getLockMode().greaterThan(LockMode.READ);
        LoadedUnder note = entry.getExtraState(LoadedUnder.class);
        if (note == null && (rowLocked || !held.isEmpty())) {
            note = new LoadedUnder();
            entry.addExtraState(note);
        }
        if (note != null) {
            note.locks = held;
            note.rowLocked = rowLocked;
        }
        if (rowLocked) {
            LoadedUnder kept = Objects.requireNonNull(note);
            event.getSession().getActionQueue().registerCallback((success, session) -> kept.rowLocked = false);
        }
    }

    @Override
    public boolean onPreUpdate(PreUpdateEvent event) {
        check(event);
        return false;
    }

    @Override
    public boolean onPreDelete(PreDeleteEvent event) {
        check(event);
        return false;
    }

    private void check(AbstractPreDatabaseOperationEvent event) {
        EntityEntry entry = entry(event.getSession(), event.getEntity());
        // Hibernate forgets what the transaction has written when that ends
        if (entry == null || event.getPersister().isVersioned() || entry.getLockMode() == LockMode.WRITE) {
            return;
        }
        LoadedUnder loaded = entry.getExtraState(LoadedUnder.class);
        if (loaded != null && loaded.rowLocked) {
            return;
        }
        String entity = event.getPersister().getEntityName();
        staleReads.write(
                loaded == null ? List.of() : loaded.locks, entity, () -> "The entity " + entity + "#" + event.getId());
    }

    private static @Nullable EntityEntry entry(SharedSessionContractImplementor session, Object entity) {
        return session.getPersistenceContextInternal().getEntry(entity);
    }

    /** A note on an entity of a persistence context, which ends with it. Used by the thread of that context only. */
    private static final class LoadedUnder implements EntityEntryExtraState {
        private List<Object> locks = List.of();

        /** Returns true if the read has locked the row for a transaction that is still open. */
        private boolean rowLocked;

        private @Nullable EntityEntryExtraState next;

        @Override
        public void addExtraState(EntityEntryExtraState more) {
            if (next == null) {
                next = more;
            } else {
                next.addExtraState(more);
            }
        }

        @Override
        public <T extends EntityEntryExtraState> @Nullable T getExtraState(Class<T> type) {
            if (type.isInstance(next)) {
                return type.cast(next);
            }
            return next == null ? null : next.getExtraState(type);
        }
    }
}
