package io.rowlock.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.test.database.TestSchema;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;

/** Takes a lock, begins a transaction and commits it on a command. */
final class OtherProcess {
    private OtherProcess() {}

    public static void main(String[] arguments) throws Exception {
        TestSchema schema = new TestSchema(arguments[0], arguments[1], arguments[2], arguments[3]);
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        try (Node node = new Node(schema, "child");
                Application application = new Application(schema, node.client, 2);
                HeldLock lock = node.client.acquire(LockRequest.exclusive("a").withTtl(Duration.ofSeconds(10)))) {
            application.inTransaction(() -> {
                application.deposit();
                System.out.println("> holds");
                waitFor(commands);
            });
            System.out.println("> committed");
        } catch (RuntimeException e) {
            System.out.println("> " + e.getClass().getSimpleName());
        }
    }

    private static void waitFor(BufferedReader commands) {
        try {
            String unused = commands.readLine();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
