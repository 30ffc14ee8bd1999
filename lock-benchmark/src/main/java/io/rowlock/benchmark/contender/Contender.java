package io.rowlock.benchmark.contender;

import io.rowlock.benchmark.server.Servers;
import java.util.Set;

/**
 * Something to measure.
 *
 * @param name what it is called in results
 * @param abilities what it can do
 * @param opening how it is connected
 */
public record Contender(String name, Set<Ability> abilities, Opening opening) implements Participant {

    Contender(String name, Opening opening, Ability... abilities) {
        this(name, Set.of(abilities), opening);
    }

    /** Connects a contender. */
    @FunctionalInterface
    public interface Opening {
        /**
         * @param servers where to
         * @param threads how many workers there will be; pools get as many connections
         * @return the connected contender
         * @throws Exception if it cannot be connected
         */
        Locks open(Servers servers, int threads) throws Exception;
    }

    /**
     * @param servers where to
     * @param threads how many workers there will be
     * @return the connected contender
     * @throws Exception if it cannot be connected
     */
    public Locks open(Servers servers, int threads) throws Exception {
        return opening.open(servers, threads);
    }

    /**
     * @param ability one of them
     * @return whether it has it
     */
    public boolean can(Ability ability) {
        return abilities.contains(ability);
    }
}
