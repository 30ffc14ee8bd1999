package io.rowlock.verification.fault;

import io.rowlock.servers.Network;
import java.io.IOException;
import java.util.List;
import java.util.Random;

/** Where faults happen. */
public interface Scene {
    /** @return a node that works by now */
    int node(Random random) throws IOException;

    long pid(int node);

    void kill(int node) throws IOException;

    /** @param hours by how much its wall clock is off */
    void start(int node, int hours) throws IOException;

    /**
     * Lets other code of a node borrow all connections of pools, and return those that it has of others.
     *
     * @param pools the sum of 1 for those of its locks, and 2 for that of its transactions
     */
    void exhaust(int node, int pools) throws IOException;

    /** @return between a node and its servers */
    List<Network> networks(int node);

    /** @return of each node */
    List<RowLockSessions> rowLocks();

    Database database();

    Redis redis();

    /** An operator ends the lease of an owner now: its process learns of that with the next renewal. */
    void forced(String owner, String key);

    /**
     * The clock of the database's server is set now.
     *
     * @param nanos how much later the time is that it shows
     */
    void clockSet(long nanos);

    /** @return tables with rows that the contender or the application locks */
    List<String> lockTables();
}
