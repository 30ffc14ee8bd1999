package io.rowlock.autoconfigure.transaction;

import io.rowlock.client.lock.StaleReads;
import java.util.List;
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
 * written or locked by the same transaction passes. Thread-safe.
 */
final class EarlyEntityCheck implements PostLoadEventListener, PreUpdateEventListener, PreDeleteEventListener {
    private final StaleReads staleReads;

    EarlyEntityCheck(StaleReads staleReads) {
        this.staleReads = staleReads;
    }

    /** Notes the locks under which it was loaded or refreshed. One that was loaded under none bears no note. */
    @Override
    public void onPostLoad(PostLoadEvent event) {
        EntityEntry entry = entry(event.getSession(), event.getEntity());
        if (entry == null) {
            return;
        }
        List<Object> held = staleReads.held();
        LoadedUnder present = entry.getExtraState(LoadedUnder.class);
        if (present != null) {
            present.locks = held;
        } else if (!held.isEmpty()) {
            entry.addExtraState(new LoadedUnder(held));
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
        if (entry == null || event.getPersister().isVersioned() || isWrittenOrLocked(entry)) {
            return;
        }
        LoadedUnder loaded = entry.getExtraState(LoadedUnder.class);
        String entity = event.getPersister().getEntityName();
        staleReads.write(
                loaded == null ? List.of() : loaded.locks, entity, () -> "The entity " + entity + "#" + event.getId());
    }

    /** Returns true if the current transaction has its row locked: Hibernate forgets that when the transaction ends. */
    private static boolean isWrittenOrLocked(EntityEntry entry) {
        return entry.getLockMode().greaterThan(LockMode.READ);
    }

    private static @Nullable EntityEntry entry(SharedSessionContractImplementor session, Object entity) {
        return session.getPersistenceContextInternal().getEntry(entity);
    }

    /** A note on an entity of a persistence context, which ends with it. Used by the thread of that context only. */
    private static final class LoadedUnder implements EntityEntryExtraState {
        private List<Object> locks;
        private @Nullable EntityEntryExtraState next;

        LoadedUnder(List<Object> locks) {
            this.locks = locks;
        }

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
