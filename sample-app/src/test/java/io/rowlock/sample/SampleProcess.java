package io.rowlock.sample;

import static java.time.Duration.ofSeconds;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The sample as a process of its own, as its users start it. What it says is in a file. */
public final class SampleProcess implements AutoCloseable {
    private static final Pattern ADDRESS = Pattern.compile("Open (http://localhost:\\d+)");

    private final Process process;
    private final Path output;

    private SampleProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    public static SampleProcess start(Map<String, String> environment) throws IOException {
        Path output = Files.createTempFile("sample", ".log");
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "io.rowlock.sample.SampleApplication")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        builder.environment().putAll(environment);
        return new SampleProcess(builder.start(), output);
    }

    public Process process() {
        return process;
    }

    /** Where its page is, once it is there. */
    public String address() {
        return await().atMost(ofSeconds(90))
                .until(
                        () -> {
                            Matcher address = ADDRESS.matcher(Files.readString(output));
                            return address.find() ? address.group(1) : "";
                        },
                        address -> !address.isEmpty());
    }

    public String outputToItsEnd() throws IOException, InterruptedException {
        process.waitFor(90, TimeUnit.SECONDS);
        return Files.readString(output);
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        Files.delete(output);
    }
}
