package io.rowlock.benchmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JsonFilesTests {
    private static final Result COMPARED = new Result("handoff", "redisson", 900, 800.5, 1000, "µs", "raw-lease", 1.25);
    private static final Result ALONE = new Result("memory", "rowlock", 1, 1, 1, "bytes", null, null);

    @TempDir
    Path folder;

    @Test
    void aResultHasTheNamesOthersRead() {
        assertThat(new JsonFiles().text(List.of(COMPARED, ALONE)).replaceAll("\\s", ""))
                .isEqualTo("[{\"workload\":\"handoff\",\"contender\":\"redisson\",\"median\":900.0,\"min\":800.5,"
                        + "\"max\":1000.0,\"unit\":\"µs\",\"ratioTo\":\"raw-lease\",\"ratio\":1.25},"
                        + "{\"workload\":\"memory\",\"contender\":\"rowlock\",\"median\":1.0,\"min\":1.0,"
                        + "\"max\":1.0,\"unit\":\"bytes\",\"ratioTo\":null,\"ratio\":null}]");
    }

    @Test
    void eachWorkloadHasAFileAndThoseOfEarlierRunsAreGone() throws IOException {
        Files.writeString(folder.resolve("earlier.json"), "[]");
        Files.writeString(folder.resolve("notes.txt"), "kept");

        new JsonFiles().write(folder, List.of(COMPARED, ALONE));

        try (var files = Files.list(folder)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("handoff.json", "memory.json", "notes.txt");
        }
        assertThat(folder.resolve("handoff.json"))
                .content()
                .contains("redisson")
                .doesNotContain("memory");
    }
}
