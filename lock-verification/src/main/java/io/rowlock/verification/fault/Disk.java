package io.rowlock.verification.fault;

import io.rowlock.verification.fault.Fault.End;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A disk that a server has for itself, so that it can be full or busy: a file that is mounted. */
final class Disk {
    private static final String SIZE = "6G";

    private final Path directory;

    private Disk(Path directory) {
        this.directory = directory;
    }

    /** @return empty if this process may not mount */
    static Optional<Disk> mount(Path directory) throws IOException {
        Path file = Files.createTempFile("disk-", "");
        try {
            boolean mounted = run("truncate", "-s", SIZE, file.toString())
                    && run("mkfs.ext4", "-q", "-m", "0", file.toString())
                    && run("mount", "-o", "loop", file.toString(), directory.toString());
            return mounted ? Optional.of(new Disk(directory)) : Optional.empty();
        } finally {
            Files.delete(file); // what is mounted stays until it is unmounted
        }
    }

    void unmount() {
        run("umount", "--lazy", directory.toString());
    }

    /** Leaves no byte free. */
    End full() throws IOException {
        Path rest = directory.resolve("rest");
        long free = Files.getFileStore(directory).getUsableSpace();
        // The last bytes may be in pieces
        for (long piece = free; piece >= 4_096; piece /= 2) {
            run(
                    "fallocate",
                    "--offset",
                    Long.toString(Files.exists(rest) ? Files.size(rest) : 0),
                    "--length",
                    Long.toString(piece),
                    rest.toString());
        }
        if (Files.getFileStore(directory).getUsableSpace() > 4_096) {
            throw new IOException(directory + " does not get full");
        }
        return () -> Files.delete(rest);
    }

    /** Another program writes as much as the disk can take. */
    End busy() throws IOException {
        Path other = directory.resolve("other");
        Process writer = process(
                "bash",
                "-c",
                "while dd if=/dev/zero of=%s bs=1M count=32 oflag=dsync conv=notrunc; do :; done".formatted(other));
        return () -> {
            writer.destroyForcibly().onExit().join();
            Files.deleteIfExists(other);
        };
    }

    /** @return false also if this system has no such command */
    private static boolean run(String... command) {
        try {
            return process(command).onExit().join().exitValue() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    private static Process process(String... command) throws IOException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }
}
