package io.rowlock.autoconfigure.transaction;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.Environment;

/** Warns of {@code spring.jpa.open-in-view} where entities that were loaded before the lock cannot be told from others. */
final class OpenInView {
    private static final Logger log = LoggerFactory.getLogger(OpenInView.class);

    private OpenInView() {}

    /**
     * Warns if the persistence context of a request stays open.
     *
     * @param factory the name of the EntityManagerFactory
     * @param environment where that is set
     */
    static void warn(String factory, Environment environment) {
        if (environment.getProperty("spring.jpa.open-in-view", Boolean.class, true)) {
            log.warn(
                    "The entities of \"{}\" are not those of Hibernate, so Rowlock cannot see which of them a request loaded before it"
                            + " acquired a lock: written under the lock, they undo the commit of a former holder. Set"
                            + " spring.jpa.open-in-view=false",
                    factory);
        }
    }
}
