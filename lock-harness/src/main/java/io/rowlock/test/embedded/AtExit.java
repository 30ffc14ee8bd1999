package io.rowlock.test.embedded;

/**
 * Work for the end of the JVM, after Spring Boot applications have closed: they still talk to their database then.
 * Boot's own shutdown handlers would not do, since they never run in a JVM that started no application.
 */
final class AtExit {

    private static final String BOOT = "SpringApplicationShutdownHook";

    private AtExit() {}

    static void run(Runnable action) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> afterBoot(action), "rowlock-mariadb-stop"));
    }

    private static void afterBoot(Runnable action) {
        try {
            Thread.sleep(100); // all hooks are started together, in no order: let Boot's appear
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (thread.getName().equals(BOOT)) {
                    thread.join();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            action.run();
        }
    }
}
