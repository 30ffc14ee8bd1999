package io.rowlock.benchmark;

import io.rowlock.benchmark.contender.PeerTables;
import io.rowlock.benchmark.report.JsonFiles;
import io.rowlock.benchmark.report.Page;
import io.rowlock.benchmark.report.Result;
import io.rowlock.benchmark.report.Targets;
import io.rowlock.benchmark.server.Environment;
import io.rowlock.benchmark.server.RedisServer;
import io.rowlock.benchmark.server.Servers;
import io.rowlock.benchmark.workload.Run;
import io.rowlock.benchmark.workload.Settings;
import io.rowlock.benchmark.workload.WarmUp;
import io.rowlock.benchmark.workload.Workload;
import io.rowlock.benchmark.workload.Workloads;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.TestSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs the benchmark and writes what came of it. README.md says how to start it. */
final class Benchmark {
    private static final Path PARTS = Path.of("target", "benchmark");

    private Benchmark() {}

    public static void main(String[] arguments) throws Exception {
        Settings settings = Settings.of(System::getProperty);
        boolean failed;
        List<Workload> workloads = Workloads.chosen(settings);
        DatabaseServer database = DatabaseServer.any();
        Optional<RedisServer> redis = RedisServer.find(settings.redisUrl());
        try (TestSchema schema = database.createSchema().migrate()) {
            Servers servers = new Servers(
                    schema.jdbcUrl(),
                    schema.username(),
                    schema.password(),
                    redis.map(RedisServer::url).orElse(null));
            Environment.requireConnections(
                    servers,
                    workloads.stream().mapToInt(Workload::connections).max().orElse(0));
            PeerTables.createIn(servers);
            failed = run(settings, workloads, servers, environment(settings, database, servers, redis));
        } finally {
            if (redis.isPresent()) {
                redis.get().close();
            }
        }
        // An embedded database and what peers leave running would keep the JVM alive
        System.exit(failed ? 1 : 0);
    }

    private static Map<String, String> environment(
            Settings settings, DatabaseServer database, Servers servers, Optional<RedisServer> redis) throws Exception {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("Rounds", settings.description());
        facts.putAll(Environment.describe(database, servers, redis));
        return facts;
    }

    private static boolean run(
            Settings settings, List<Workload> workloads, Servers servers, Map<String, String> environment)
            throws Exception {
        long begin = System.nanoTime();
        try (Run run = new Run(settings, servers)) {
            if (servers.redisUrl() == null) {
                run.incident("There was no Redis server, so the contenders on Redis were left out.");
            }
            run.measure(new WarmUp());
            workloads.forEach(run::measure);
            List<Result> results = run.samples().results(Targets.all());
            environment.put("Duration", (System.nanoTime() - begin) / 1_000_000_000 + " s for everything");
            write(
                    settings.publish() && !run.failed(),
                    results,
                    new Page(results, Targets.all(), environment, run.incidents()));
            return run.failed();
        }
    }

    /** A run that failed does not replace the figures of the project. */
    private static void write(boolean publish, List<Result> results, Page page) throws IOException {
        Path resultFolder = publish ? Path.of("results") : PARTS.resolve("results");
        Path pageFolder = publish ? Path.of("..", "docs", "internals") : PARTS;
        new JsonFiles().write(resultFolder, results);
        Files.createDirectories(pageFolder);
        Files.writeString(resultFolder.resolve("targets.csv"), page.targetTable());
        Files.writeString(pageFolder.resolve("benchmark.md"), page.text());
        System.out.println(page.resultTable());
        System.out.println(page.targetTable());
        System.out.println("Written to " + resultFolder + " and " + pageFolder.resolve("benchmark.md"));
    }
}
