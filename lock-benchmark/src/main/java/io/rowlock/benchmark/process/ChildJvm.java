package io.rowlock.benchmark.process;

import io.rowlock.benchmark.server.Servers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts processes with this one's Java and class path. What they write to standard error shows up here. */
public final class ChildJvm {
    private ChildJvm() {}

    public static Process start(Servers servers, Class<?> main, String... options) throws IOException {
        return startWith(System.getProperty("java.class.path"), servers, main, options);
    }

    static Process startWith(String classPath, Servers servers, Class<?> main, String... options) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(options));
        command.addAll(List.of("-classpath", classPath, main.getName()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(servers.toEnvironment());
        Process process = builder.start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
        return process;
    }
}
