package io.rowlock.verification.fault;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** A wall clock that is wrong, by libfaketime. Processes measure durations as before. */
public final class FakeTime {
    private static final Path LIBRARY = Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1");

    /** The server looks at its clock's file that often. */
    private static final int LOOKS_SECONDS = 1;

    private final Path file;

    private FakeTime(Path file) {
        this.file = file;
    }

    public static boolean isInstalled() {
        return Files.exists(LIBRARY);
    }

    /** @throws IOException if no clock can be wrong here */
    static void requireInstalled() throws IOException {
        if (!isInstalled()) {
            throw new IOException("libfaketime is not installed");
        }
    }

    /** Returns what a process must find in its environment, besides the time. */
    public static Map<String, String> environment() {
        return Map.of(
                "LD_PRELOAD",
                LIBRARY.toString(),
                "FAKETIME_DONT_FAKE_MONOTONIC",
                "1",
                "DONT_FAKE_MONOTONIC",
                "1",
                "FAKETIME_FORCE_MONOTONIC_FIX",
                "0"); // else each timed wait returns at once
    }

    /** Makes a program start with a clock that can be set while it runs. */
    static Optional<FakeTime> of(Path program) throws IOException {
        if (!isInstalled()) {
            return Optional.empty();
        }
        FakeTime time = new FakeTime(program.resolveSibling("clock"));
        time.write(0);
        Path real = Files.move(program, program.resolveSibling(program.getFileName() + ".real"));
        String environment = environment().entrySet().stream()
                .map(variable -> variable.getKey() + "=" + variable.getValue())
                .collect(Collectors.joining(" "));
        Files.writeString(
                program,
                "#!/bin/sh\n%s FAKETIME_TIMESTAMP_FILE=%s FAKETIME_CACHE_DURATION=%d exec %s \"$@\"\n"
                        .formatted(environment, time.file, LOOKS_SECONDS, real));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        return Optional.of(time);
    }

    /** Sets the clock, and waits until it is. */
    void set(int seconds) throws IOException {
        write(seconds);
        Fault.last((LOOKS_SECONDS * 1_000 + 200) * 1_000_000L);
    }

    private void write(int seconds) throws IOException {
        Files.writeString(file, "%+d".formatted(seconds));
    }
}
