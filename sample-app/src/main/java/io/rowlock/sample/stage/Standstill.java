package io.rowlock.sample.stage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A process that was made to stand still by a signal. It cannot notice that the page's process is gone, so another
 * process does and ends it.
 */
final class Standstill {
    /** Ends process $0 when process $1 is gone, however that came; a Ctrl-C is meant for $1, which ends its nodes itself. */
    private static final String WATCH = """
            trap '' INT HUP
            while kill -0 $0 && kill -0 $1; do sleep 1; done
            kill -KILL $0
            """;

    private final Process process;
    private final Process guard;

    private Standstill(Process process, Process guard) {
        this.process = process;
        this.guard = guard;
    }

    /**
     * Makes a process stand still.
     *
     * @param owner the process that it must not outlive
     * @throws Refusal if no signal can be sent here
     */
    static Standstill of(Process process, ProcessHandle owner) {
        Process guard = shell(WATCH, process.pid(), owner.pid());
        Standstill standstill = new Standstill(process, guard);
        try {
            signal("STOP", process);
        } catch (Refusal e) {
            standstill.leaveAlone();
            throw e;
        }
        return standstill;
    }

    /** Lets the process go on. */
    void end() {
        leaveAlone();
        signal("CONT", process);
    }

    /** Ends the watch over the process. */
    void leaveAlone() {
        guard.destroyForcibly();
    }

    /** Sends it by the shell's own command: some systems have no other. */
    private static void signal(String name, Process process) {
        Process kill = shell("kill -%s $0".formatted(name), process.pid());
        if (kill.onExit().join().exitValue() != 0) {
            throw Refusal.conflict("Process %d did not receive signal %s.".formatted(process.pid(), name));
        }
    }

    private static Process shell(String script, long... processes) {
        List<String> command = new ArrayList<>(List.of("sh", "-c", script));
        for (long pid : processes) {
            command.add(Long.toString(pid));
        }
        try {
            return new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            throw Refusal.conflict("No signal can be sent here: " + e.getMessage());
        }
    }
}
