package io.rowlock.test.database;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.test.embedded.FreePort;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A MariaDB that a script unpacks from packages and runs until this JVM, and with it the script's input, ends.
 *
 * @param script its name in the test resources, folder {@code servers}
 */
record UnpackedMariaDb(String script) implements ServerSource {
    private static final long PATIENCE_SECONDS = 300;

    @Override
    public DatabaseServer open(ServerFlavor flavor) throws Unavailable {
        try {
            Path errors = Files.createTempFile("rowlock-unpacked-", ".log");
            try {
                return DatabaseServer.at(ServerAddress.parse(start(errors)), "unpacked");
            } finally {
                Files.delete(errors);
            }
        } catch (IOException | SQLException | URISyntaxException e) {
            throw new Unavailable(script + " does not run", e);
        }
    }

    private String start(Path errors) throws IOException, URISyntaxException, Unavailable {
        URL resource = UnpackedMariaDb.class.getResource("/servers/" + script);
        if (resource == null) {
            throw new Unavailable(script + " is not on the class path");
        }
        Process process = new ProcessBuilder(
                        "bash", Path.of(resource.toURI()).toString(), Integer.toString(FreePort.find()))
                .redirectError(errors.toFile())
                .start();
        String url = firstLine(process);
        if (url == null) {
            process.destroy();
            List<String> said = Files.readAllLines(errors);
            throw new Unavailable(said.isEmpty() ? script + " does not answer" : said.get(said.size() - 1));
        }
        return url;
    }

    /** @return null if it has ended, or takes too long */
    private static @Nullable String firstLine(Process process) throws IOException {
        BufferedReader output = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
        CompletableFuture<@Nullable String> line = CompletableFuture.supplyAsync(() -> {
            try {
                return output.readLine();
            } catch (IOException e) {
                return null;
            }
        });
        try {
            return line.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }
}
