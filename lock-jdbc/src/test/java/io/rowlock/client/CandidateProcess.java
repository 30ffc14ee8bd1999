package io.rowlock.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.leader.LeaderRole;
import io.rowlock.test.database.TestSchema;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/** An {@link OtherCandidate}, seen from outside. */
final class CandidateProcess implements AutoCloseable {
    final String name;

    /** How often it has said anything. */
    final AtomicLong said = new AtomicLong();

    private final Process process;
    private final Chronicle chronicle;
    private volatile long presentTerm;
    private volatile boolean standing;
    private volatile long closingAt;

    /** @param schema as the process reaches it */
    CandidateProcess(TestSchema schema, String name, LeaderRole role, Chronicle chronicle) throws IOException {
        this.name = name;
        this.chronicle = chronicle;
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        OtherCandidate.class.getName(),
                        schema.name(),
                        schema.jdbcUrl(),
                        schema.username(),
                        schema.password(),
                        name,
                        role.name(),
                        role.ttl().toString(),
                        role.interval().toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Thread listening = new Thread(this::listen);
        listening.setDaemon(true);
        listening.start();
    }

    private void listen() {
        try (BufferedReader output = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            output.lines().filter(line -> line.startsWith("> ")).forEach(this::heard);
        } catch (IOException | UncheckedIOException e) {
            // it ended in the middle of a line
        }
    }

    private void heard(String line) {
        String[] words = line.split(" ", 5);
        switch (words[1]) {
            case "leads" -> {
                presentTerm = Long.parseLong(words[2]);
                chronicle.note(new Reign(name, presentTerm, Long.parseLong(words[3]), Long.parseLong(words[4])));
            }
            case "closing" -> closingAt = Long.parseLong(words[2]);
            default -> presentTerm = 0;
        }
        standing = words[1].equals("stands");
        said.incrementAndGet();
    }

    /** Whether it stands for election, and does not lead. */
    boolean stands() {
        return standing && process.isAlive();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Whether it leads, as far as it has said, and no later leader has. */
    boolean leads() {
        return process.isAlive() && presentTerm > 0 && presentTerm == chronicle.lastTerm();
    }

    /** When it began to close, or 0 if it has not done so yet. */
    long closingAt() {
        return closingAt;
    }

    void tellToClose() throws IOException {
        closingAt = 0;
        tell("close");
    }

    void tellToBegin() throws IOException {
        tell("begin");
    }

    private void tell(String command) throws IOException {
        process.getOutputStream().write((command + "\n").getBytes(UTF_8));
        process.getOutputStream().flush();
    }

    void signal(String signal) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + signal, String.valueOf(process.pid()))
                .inheritIO()
                .start();
        assertThat(kill.waitFor()).isZero();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
