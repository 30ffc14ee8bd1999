package io.rowlock.benchmark.process;

import io.rowlock.benchmark.server.Servers;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A {@link Node} seen from the benchmark. Used by one thread. */
public final class NodeProcess implements AutoCloseable {
    private static final int HANGS_SECONDS = 120;

    private final Process process;
    private final PrintWriter commands;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    NodeProcess(Servers servers) throws IOException {
        process = ChildJvm.start(servers, Node.class, "-Xmx256m");
        commands = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
        Thread reader = new Thread(this::read, "node-reader");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(Node.ANSWER) || line.startsWith(Node.ERROR)) {
                    answers.add(line);
                }
            }
            answers.add(Node.ERROR + "the process has ended");
        } catch (IOException e) {
            answers.add(Node.ERROR + e);
        }
    }

    public void send(Object... command) {
        StringBuilder line = new StringBuilder();
        for (Object word : command) {
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        commands.println(line);
    }

    public String answer() throws InterruptedException {
        String answer = answers.poll(HANGS_SECONDS, TimeUnit.SECONDS);
        if (answer == null) {
            throw new IllegalStateException("A process does not answer");
        }
        if (answer.startsWith(Node.ERROR)) {
            throw new IllegalStateException("A process failed: " + answer.substring(Node.ERROR.length()));
        }
        return answer.substring(Node.ANSWER.length());
    }

    String ask(Object... command) throws InterruptedException {
        send(command);
        return answer();
    }

    @Override
    public void close() {
        commands.close(); // the end of its input is what ends it
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
