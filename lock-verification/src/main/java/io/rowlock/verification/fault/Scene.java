package io.rowlock.verification.fault;

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

    /** @return between a node and its servers */
    List<Network> networks(int node);

    Database database();

    Redis redis();

    /** @return tables with rows that the contender or the application locks */
    List<String> lockTables();
}
