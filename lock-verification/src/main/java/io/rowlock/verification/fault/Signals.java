package io.rowlock.verification.fault;

import java.io.IOException;

/** Signals to processes that this one, or a server's script, has started. */
final class Signals {
    private Signals() {}

    static void send(String signal, long pid) throws IOException {
        try {
            new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).start().waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
