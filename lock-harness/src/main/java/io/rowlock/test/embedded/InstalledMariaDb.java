package io.rowlock.test.embedded;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;

/** The server that a JVM unpacked and installed first, kept for all others of the build: both take seconds of a processor. */
final class InstalledMariaDb {
    private static final String DIRECTORY = "rowlock.test.mariadb";
    private static final String BASE = "base";
    private static final String DATA = "data";

    private final @Nullable Path kept;

    InstalledMariaDb(@Nullable Path kept) {
        this.kept = kept;
    }

    /** Keeps it where the build says; without a build nothing is kept. */
    static InstalledMariaDb ofBuild() {
        String directory = System.getProperty(DIRECTORY);
        return new InstalledMariaDb(directory == null ? null : Path.of(directory));
    }

    /** Returns true if the tests of a build run in this JVM. */
    static boolean isOfBuild() {
        return System.getProperty(DIRECTORY) != null;
    }

    /** Fills a home with the kept server. @return false if there is none */
    boolean copyTo(TemporaryHome home) throws IOException {
        if (kept == null || !Files.isDirectory(kept)) {
            return false;
        }
        copy(kept.resolve(BASE), home.directory(BASE).toPath(), true);
        copy(kept.resolve(DATA), home.directory(DATA).toPath(), false);
        return true;
    }

    /** Keeps the server of a home, before it starts. */
    void keep(TemporaryHome home) throws IOException {
        if (kept == null) {
            return;
        }
        Path parent = Files.createDirectories(kept.toAbsolutePath().getParent());
        Path whole = Files.createTempDirectory(parent, kept.getFileName() + "-");
        try {
            copy(home.directory(BASE).toPath(), whole.resolve(BASE), true);
            copy(home.directory(DATA).toPath(), whole.resolve(DATA), false);
            Files.move(whole, kept, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            FileSystemUtils.deleteRecursively(whole);
            if (!Files.isDirectory(kept)) { // else another JVM was first
                throw e;
            }
        }
    }

    /** @param links hard ones instead of copies, for files that no server changes */
    private static void copy(Path from, Path to, boolean links) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                    throws IOException {
                Files.createDirectories(to.resolve(from.relativize(directory)));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Path copy = to.resolve(from.relativize(file));
                if (!links || !isLinked(copy, file)) {
                    Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES, StandardCopyOption.REPLACE_EXISTING);
                }
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static boolean isLinked(Path link, Path file) {
        try {
            Files.createLink(link, file);
            return true;
        } catch (IOException | UnsupportedOperationException e) {
            return false; // on another file system
        }
    }
}
