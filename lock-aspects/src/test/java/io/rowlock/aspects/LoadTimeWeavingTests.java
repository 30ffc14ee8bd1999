package io.rowlock.aspects;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.aspectj.weaver.loadtime.Agent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A JVM with AspectJ's agent, which weaves the locks and Spring's transactions into classes that the build has not seen. */
class LoadTimeWeavingTests {
    @Test
    void agentWeavesLocksOutsideOfTransactions(@TempDir Path directory) throws Exception {
        Path sources = Path.of("src", "test", "load-time");
        Path output = directory.resolve("output");
        String agent = Path.of(Agent.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .toString();
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-javaagent:" + agent,
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        sources + File.pathSeparator + System.getProperty("java.class.path"),
                        sources.resolve("LoadTimeApplication.java").toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(jvm.waitFor(5, TimeUnit.MINUTES)).isTrue();
        } finally {
            jvm.destroyForcibly();
        }
        assertThat(Files.readAllLines(output).stream().filter(line -> line.startsWith("= ")))
                .as(Files.readString(output))
                .isEqualTo(Arrays.asList(
                        "= before true",
                        "= begin true",
                        "= body true",
                        "= commit true",
                        "= after false",
                        "= begin true",
                        "= rollback false",
                        "= refused LockLostException",
                        "= begin false",
                        "= begin true",
                        "= commit true",
                        "= own false", // an outer transaction does not keep it
                        "= commit false"));
    }
}
