package io.rowlock.client;

import io.rowlock.LockListener;
import io.rowlock.test.database.TestSchema;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Two nodes and an application on a real server. */
public abstract class ClientContract {
    public TestSchema schema;
    public LockTable table;
    public Node node;
    public Node rival;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    @BeforeEach
    void start(TestSchema given) {
        schema = given;
        table = new LockTable(given);
        node = newNode("node");
        rival = newNode("rival");
    }

    Node newNode(String owner, LockListener... listeners) {
        return closing(new Node(schema, owner, listeners));
    }

    Application newApplication(int poolSize) {
        return closing(new Application(schema, node.client, poolSize));
    }

    public <T extends AutoCloseable> T closing(T resource) {
        open.push(resource);
        return resource;
    }

    @AfterEach
    void stop() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }
}
