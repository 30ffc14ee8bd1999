package io.rowlock.autoconfigure.database;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A single-primary group of three MySQL servers on loopback and a Router in front, run by the scripts of the test resources. */
final class ReplicationGroup {
    static final List<Integer> PORTS = List.of(3421, 3422, 3423);
    private static final Path SCRIPTS = Path.of("../lock-jdbc/src/test/resources/servers");

    private ReplicationGroup() {}

    /** Runs the script of the group. @return the last line it wrote */
    static String run(String... arguments) {
        return script("group", arguments);
    }

    /** Runs the script of MySQL Router. @return the last line it wrote */
    static String router(String... arguments) {
        return script("router", arguments);
    }

    private static String script(String name, String... arguments) {
        List<String> command =
                new ArrayList<>(List.of("bash", SCRIPTS.resolve(name).toString()));
        command.addAll(List.of(arguments));
        try {
            // What the servers write goes to their logs, so that this ends with the script
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            String last = output.substring(output.lastIndexOf('\n') + 1);
            if (process.waitFor() != 0) {
                throw new IllegalStateException("%s %s failed: %s".formatted(name, List.of(arguments), last));
            }
            return last;
        } catch (IOException e) {
            throw new IllegalStateException("The script " + name + " cannot be run: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("The script " + name + " was interrupted", e);
        }
    }

    static int primary() {
        return Integer.parseInt(run("primary"));
    }
}
