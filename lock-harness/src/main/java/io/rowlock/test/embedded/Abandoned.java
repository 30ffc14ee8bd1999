package io.rowlock.test.embedded;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.springframework.util.FileSystemUtils;

/** What a JVM that was killed has left: its temporary directory and the server that still runs in it. */
final class Abandoned {

    private Abandoned() {}

    static void sweep(Path parent, String prefix) throws IOException {
        try (DirectoryStream<Path> homes = Files.newDirectoryStream(parent, prefix + "*")) {
            for (Path home : homes) {
                if (!ownerLives(home, prefix)) {
                    remove(home);
                }
            }
        }
    }

    private static boolean ownerLives(Path home, String prefix) {
        String pid = home.getFileName().toString().substring(prefix.length()).replaceFirst("-.*", "");
        return !pid.matches("\\d{1,18}")
                || ProcessHandle.of(Long.parseLong(pid))
                        .map(ProcessHandle::isAlive)
                        .orElse(false);
    }

    static void remove(Path home) {
        // Only a process started with this very directory: a process id alone may be another process's by now.
        ProcessHandle.allProcesses().filter(process -> runsIn(home, process)).forEach(ProcessHandle::destroyForcibly);
        try {
            FileSystemUtils.deleteRecursively(home);
        } catch (IOException e) {
            // another JVM is sweeping too, or it is another user's
        }
    }

    private static boolean runsIn(Path home, ProcessHandle process) {
        Optional<String> command = process.info().command();
        return command.filter(path -> Path.of(path).startsWith(home)).isPresent();
    }
}
