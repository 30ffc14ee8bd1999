package io.rowlock.fault;

import io.rowlock.client.RowlockClient;

/** A process, as far as locks go. */
interface Program extends AutoCloseable {
    String owner();

    RowlockClient client();

    @Override
    void close();
}
