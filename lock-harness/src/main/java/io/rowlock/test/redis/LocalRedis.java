package io.rowlock.test.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.rowlock.test.embedded.FreePort;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A {@code redis-server} process. A shell between it and this JVM ends it when the pipe to the JVM breaks, however the JVM ends. */
final class LocalRedis {
    private static final String SHELL = "\"$0\" \"$@\" >/dev/null 2>&1 </dev/null & echo $!; read x; kill -9 $!";
    private static final Duration START = Duration.ofSeconds(30);
    private static final int MOST_TRIES = 3;

    private final List<String> command;
    private final Process shell;
    private final long pid;
    private final int port;

    private LocalRedis(List<String> command, Process shell, long pid, int port) {
        this.command = command;
        this.shell = shell;
        this.pid = pid;
        this.port = port;
    }

    /** Where the program is. */
    private static Optional<String> program() {
        String named = System.getenv(RedisServer.PROGRAM_VARIABLE);
        if (named != null && !named.isBlank()) {
            return Optional.of(named);
        }
        String path = System.getenv("PATH");
        return path == null
                ? Optional.empty()
                : Arrays.stream(path.split(File.pathSeparator))
                        .map(directory -> new File(directory, "redis-server"))
                        .filter(File::canExecute)
                        .map(File::getPath)
                        .findFirst();
    }

    static boolean isInstalled() {
        return program().isPresent();
    }

    /** Tries again if another process was quicker to take the port. */
    static LocalRedis start(String... options) throws IOException {
        IOException failure = new IOException("redis-server was not started");
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            try {
                return startOnce(options);
            } catch (IOException e) {
                failure = e;
            }
        }
        throw failure;
    }

    private static LocalRedis startOnce(String... options) throws IOException {
        int port = FreePort.find();
        String program = program().orElseThrow(() -> new IOException("redis-server is not installed"));
        List<String> command = new ArrayList<>(List.of("sh", "-c", SHELL, program));
        boolean hasFile = options.length > 0 && !options[0].startsWith("-");
        if (hasFile) {
            command.add(options[0]);
        }
        command.addAll(List.of("--port", String.valueOf(port), "--bind", "127.0.0.1", "--save", ""));
        command.addAll(List.of("--dir", System.getProperty("java.io.tmpdir")));
        command.addAll(List.of(options).subList(hasFile ? 1 : 0, options.length));
        return run(command, port);
    }

    private static LocalRedis run(List<String> command, int port) throws IOException {
        Process shell = new ProcessBuilder(command).redirectErrorStream(true).start();
        BufferedReader output = new BufferedReader(new InputStreamReader(shell.getInputStream(), US_ASCII));
        LocalRedis started = new LocalRedis(command, shell, Long.parseLong(output.readLine()), port);
        started.awaitAnswer();
        return started;
    }

    private void awaitAnswer() throws IOException {
        long end = System.nanoTime() + START.toNanos();
        while (!answers()) {
            boolean gone = !ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
            if (gone || System.nanoTime() - end > 0) {
                stop();
                throw new IOException("redis-server " + (gone ? "has ended at once" : "does not answer"));
            }
            pause();
        }
    }

    private boolean answers() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(1_000);
            socket.getOutputStream().write("INFO server\r\n".getBytes(US_ASCII));
            String answer = new String(socket.getInputStream().readNBytes(1), US_ASCII);
            return answer.equals("-") || (answer.equals("$") && isOwn(socket));
        } catch (IOException e) {
            return false;
        }
    }

    /** Another process may have started a server at the port that was free a moment ago. */
    private boolean isOwn(Socket socket) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith("process_id:")) {
                return line.equals("process_id:" + pid);
            }
        }
        return false;
    }

    /** After its end: with the same options, at the same port. */
    LocalRedis again() throws IOException {
        long end = System.nanoTime() + START.toNanos();
        while (listens() && System.nanoTime() - end < 0) {
            pause(); // the system has not removed it yet
        }
        return run(command, port);
    }

    private boolean listens() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static void pause() throws IOException {
        try {
            TimeUnit.MILLISECONDS.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    int port() {
        return port;
    }

    long pid() {
        return pid;
    }

    void stop() {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        shell.destroy();
    }
}
