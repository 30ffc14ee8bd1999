package io.rowlock.autoconfigure.transaction;

import io.rowlock.client.lock.StaleReads;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceException;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.event.service.spi.EventListenerRegistry;
import org.hibernate.event.spi.EventType;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.env.Environment;

/** Adds the check of entities that were loaded before the lock to every EntityManagerFactory of Hibernate. */
final class EarlyEntityChecks implements SmartInitializingSingleton {
    private final ListableBeanFactory beans;
    private final StaleReads staleReads;
    private final Environment environment;

    /**
     * @param beans where the factories are
     * @param staleReads refuses the writes
     * @param environment where open-in-view is set
     */
    EarlyEntityChecks(ListableBeanFactory beans, StaleReads staleReads, Environment environment) {
        this.beans = beans;
        this.staleReads = staleReads;
        this.environment = environment;
    }

    @Override
    public void afterSingletonsInstantiated() {
        beans.getBeansOfType(EntityManagerFactory.class, false, true).forEach(this::check);
    }

    private void check(String name, EntityManagerFactory factory) {
        EventListenerRegistry listeners;
        try {
            listeners = factory.unwrap(SessionFactoryImplementor.class).getEventListenerRegistry();
        } catch (PersistenceException e) {
            OpenInView.warn(name, environment);
            return;
        }
        EarlyEntityCheck check = new EarlyEntityCheck(staleReads);
        listeners.appendListeners(EventType.POST_LOAD, check);
        listeners.appendListeners(EventType.PRE_UPDATE, check);
        listeners.appendListeners(EventType.PRE_DELETE, check);
    }
}
