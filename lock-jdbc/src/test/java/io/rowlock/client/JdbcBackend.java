package io.rowlock.client;

import io.rowlock.LockListener;
import io.rowlock.client.request.Handoff;
import io.rowlock.test.database.TestSchema;

/**
 * Leases in a table.
 *
 * @param schema where it is
 * @param data the table
 */
public record JdbcBackend(TestSchema schema, LockTable data) implements LockBackend {
    public JdbcBackend(TestSchema schema) {
        this(schema, new LockTable(schema));
    }

    @Override
    public Node node(String owner, Handoff handoff, LockListener... listeners) {
        return new Node(Pools.locks(schema), owner, Node.Logging.OFF, handoff, listeners);
    }
}
