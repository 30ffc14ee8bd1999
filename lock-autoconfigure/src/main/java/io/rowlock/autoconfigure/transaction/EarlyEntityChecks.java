package io.rowlock.autoconfigure.transaction;

import io.rowlock.client.lock.StaleReads;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceException;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.event.service.spi.EventListenerRegistry;
import org.hibernate.event.spi.EventType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Adds the check of entities that were loaded before the lock to every EntityManagerFactory of Hibernate. Warns of
 * {@code spring.jpa.open-in-view} where those cannot be told apart from others.
 *
 * @param beans where the factories are
 * @param staleReads refuses the writes
 * @param environment where open-in-view is set
 */
record EarlyEntityChecks(ListableBeanFactory beans, StaleReads staleReads, Environment environment)
        implements SmartInitializingSingleton {
    private static final Logger log = LoggerFactory.getLogger(EarlyEntityChecks.class);

    private static final boolean HIBERNATE = ClassUtils.isPresent(
            "org.hibernate.engine.spi.SessionFactoryImplementor", EarlyEntityChecks.class.getClassLoader());

    @Override
    public void afterSingletonsInstantiated() {
        BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, EntityManagerFactory.class, false, true)
                .forEach((name, factory) -> {
                    if (!HIBERNATE || !Hibernate.check(factory, staleReads)) {
                        warnOfOpenInView(name);
                    }
                });
    }

    private void warnOfOpenInView(String factory) {
        if (environment.getProperty("spring.jpa.open-in-view", Boolean.class, true)) {
            log.warn(
                    "The entities of \"{}\" are not those of Hibernate, so Rowlock cannot see which of them a request loaded before it"
                            + " acquired a lock: written under the lock, they undo the commit of a former holder. Set"
                            + " spring.jpa.open-in-view=false",
                    factory);
        }
    }

    /** Known apart, because its classes may be missing. */
    private static final class Hibernate {
        /** Returns false if the factory is of another provider. */
        static boolean check(EntityManagerFactory factory, StaleReads staleReads) {
            EventListenerRegistry listeners;
            try {
                listeners = factory.unwrap(SessionFactoryImplementor.class).getEventListenerRegistry();
            } catch (PersistenceException e) {
                return false;
            }
            EarlyEntityCheck check = new EarlyEntityCheck(staleReads);
            listeners.appendListeners(EventType.POST_LOAD, check);
            listeners.appendListeners(EventType.PRE_UPDATE, check);
            listeners.appendListeners(EventType.PRE_DELETE, check);
            return true;
        }
    }
}
