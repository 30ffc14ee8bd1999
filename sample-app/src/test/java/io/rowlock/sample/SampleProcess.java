package io.rowlock.sample;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.awaitility.Awaitility.await;

import io.rowlock.sample.stage.NodeView;
import io.rowlock.test.database.TestSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.test.web.servlet.client.RestTestClient;

/** The sample as a process of its own, as its users start it. What it says is in a file. */
public final class SampleProcess implements AutoCloseable {
    private static final Pattern ADDRESS = Pattern.compile("Open (http://localhost:\\d+)");

    private final Process process;
    private final Path output;

    private SampleProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    public static SampleProcess start(Map<String, String> environment, String... options) throws IOException {
        Path output = Files.createTempFile("sample", ".log");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir")));
        command.addAll(List.of(options));
        command.add("io.rowlock.sample.SampleApplication");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        builder.environment().putAll(environment);
        return new SampleProcess(builder.start(), output);
    }

    /** On a database of a test, at a free port, with two nodes. */
    public static SampleProcess start(TestSchema schema, Map<String, String> settings, String... options)
            throws IOException {
        Map<String, String> environment = new HashMap<>(settings);
        environment.put("SPRING_DATASOURCE_URL", schema.jdbcUrl());
        environment.put("SPRING_DATASOURCE_USERNAME", schema.username());
        environment.put("SPRING_DATASOURCE_PASSWORD", schema.password());
        environment.put("SERVER_PORT", "0");
        environment.put("SAMPLE_NODES", "2");
        return start(environment, options);
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

    public void awaitNodes() {
        await().atMost(ofMinutes(4))
                .until(() -> Stream.of(answer(http().get().uri("/nodes"), NodeView[].class))
                        .allMatch(node -> node.state() == NodeView.State.UP));
    }

    /** The answer to a POST, which has to be 200. */
    public <T> T post(String uri, Class<T> type) {
        return answer(http().post().uri(uri), type);
    }

    private RestTestClient http() {
        return RestTestClient.bindToServer().baseUrl(address()).build();
    }

    private static <T> T answer(RestTestClient.RequestHeadersSpec<?> request, Class<T> type) {
        return request.exchange()
                .expectStatus()
                .isOk()
                .expectBody(type)
                .returnResult()
                .getResponseBody();
    }

    /** What it and its nodes have said so far. */
    public String output() throws IOException {
        return Files.readString(output);
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
