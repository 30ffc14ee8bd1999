package io.rowlock.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rowlock.test.RunReport;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Searches the models, a minute on two idle cores. Skipped without spin and gcc, which Debian has. */
@Tag("full")
class ModelTests {
    private static final long MOST_MINUTES = 20;

    @Test
    void modelsHoldWithinTheirBoundsAndEachMutantIsRefuted() throws Exception {
        assumeTrue(isInstalled("spin") && isInstalled("gcc"), "spin and gcc are not installed");
        File output = File.createTempFile("models", ".txt");
        Process verify = new ProcessBuilder("bash", "model/verify.sh")
                .redirectErrorStream(true)
                .redirectOutput(output)
                .start();
        try {
            assertThat(verify.waitFor(MOST_MINUTES, TimeUnit.MINUTES)).isTrue();
        } finally {
            verify.descendants().forEach(ProcessHandle::destroyForcibly);
            verify.destroyForcibly();
        }
        String text = Files.readString(output.toPath(), StandardCharsets.UTF_8);
        System.out.println(text);
        List<String> lines = text.lines().toList();
        RunReport.add("Models: " + lines.get(lines.size() - 1));
        assertThat(verify.exitValue()).as(text).isZero();
        assertThat(lines).filteredOn(line -> line.startsWith("verified")).hasSizeGreaterThanOrEqualTo(21);
        assertThat(lines).filteredOn(line -> line.startsWith("refuted")).hasSizeGreaterThanOrEqualTo(61);
        String page = Files.readString(Path.of("model/README.md"));
        lines.stream().filter(line -> line.startsWith("verified")).forEach(line -> {
            String states = line.replaceFirst(".* states (\\d+).*", "$1");
            assertThat(page).as(line).contains(String.format(Locale.ROOT, "%,d", Long.parseLong(states)));
        });
    }

    private static boolean isInstalled(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .anyMatch(directory -> new File(directory, program).canExecute());
    }
}
