package io.rowlock.verification;

import io.rowlock.verification.fault.Database;
import io.rowlock.verification.fault.Fault;
import io.rowlock.verification.fault.Redis;
import io.rowlock.verification.fault.Schedule;
import io.rowlock.verification.history.History;
import io.rowlock.verification.history.Judge;
import io.rowlock.verification.history.Violation;
import io.rowlock.verification.history.Write;
import io.rowlock.verification.node.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Runs nodes under faults, judges their history, and says what came of it. The exit code is 1 if a rule was broken. */
public final class Verification {
    private static final Duration CALM = Duration.ofSeconds(8);
    private static final Duration ROUND = Duration.ofSeconds(8);
    private static final int MOST_SHOWN = 20;

    /** A statement, a connection and the pauses of a busy machine. */
    private static final Duration OVERTIME = Duration.ofSeconds(4);

    private static final List<String> TABLES = List.of(
            "CREATE TABLE counter (name VARCHAR(100) PRIMARY KEY, value BIGINT NOT NULL)",
            "CREATE TABLE written (id BIGINT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(100) NOT NULL, value BIGINT NOT NULL, operation BIGINT NOT NULL)",
            "CREATE TABLE shedlock (name VARCHAR(64) NOT NULL, lock_until TIMESTAMP(3) NOT NULL, locked_at TIMESTAMP(3) NOT NULL,"
                    + " locked_by VARCHAR(255) NOT NULL, PRIMARY KEY (name))",
            "CREATE TABLE INT_LOCK (LOCK_KEY CHAR(36) NOT NULL, REGION VARCHAR(100) NOT NULL, CLIENT_ID CHAR(36),"
                    + " CREATED_DATE DATETIME(6) NOT NULL, EXPIRED_AFTER DATETIME(6) NOT NULL, PRIMARY KEY (LOCK_KEY, REGION))");

    /**
     * The result of a run.
     *
     * @param faults how often each kind happened
     * @param violations what broke a rule, in the order of time
     */
    record Outcome(History history, Map<Fault, Integer> faults, List<Violation> violations) {
        /** @return how many calls there were when the first rule was broken */
        long operationsUntilFirst() {
            return violations.isEmpty()
                    ? 0
                    : history.operationsUntil(violations.get(0).at());
        }

        /** @return how often each rule was broken */
        Map<String, Long> rules() {
            return violations.stream()
                    .collect(Collectors.groupingBy(Violation::rule, TreeMap::new, Collectors.counting()));
        }

        String lastLine() {
            return "operations %d, grants %d, faults %d, violations %d"
                    .formatted(
                            history.operations().size(),
                            history.grants(),
                            faults.values().stream().mapToInt(Integer::intValue).sum(),
                            violations.size());
        }
    }

    private Verification() {}

    public static void main(String[] arguments) throws Exception {
        Settings settings = Settings.ofProperties();
        Path histories = Files.createTempDirectory("verification-");
        int status = 0;
        try {
            if (!Settings.mutants().isEmpty()) {
                status = Mutants.run(settings, Settings.mutants()) > 0 ? 1 : 0;
            } else {
                Outcome outcome = run(settings, histories);
                print(settings, outcome);
                System.out.println("The histories are in " + histories);
                status = outcome.violations().isEmpty() ? 0 : 1;
            }
        } catch (Exception e) {
            e.printStackTrace();
            status = 2;
        }
        System.exit(status); // the embedded server would keep this process
    }

    static Outcome run(Settings settings, Path histories) throws Exception {
        Schedule schedule = new Schedule(settings.seed(), Node.TTL, settings.isOnRedis());
        try (Database database = Database.open(settings.server());
                Redis redis = new Redis(histories.resolve("redis"))) {
            prepare(database, settings);
            try (Cast cast = new Cast(settings, histories, database, redis)) {
                cast.awaitWork();
                long end = System.nanoTime()
                        + Duration.ofSeconds(settings.seconds()).toNanos();
                while (System.nanoTime() - end < 0) {
                    long next = System.nanoTime() + ROUND.toNanos();
                    schedule.play(cast, settings.classes().isEmpty() || next - end > 0 ? end : next);
                    if (!settings.classes().isEmpty()
                            && !judged(settings, histories, database, schedule)
                                    .violations()
                                    .isEmpty()) {
                        return judged(settings, histories, database, schedule);
                    }
                }
                Thread.sleep(CALM.toMillis());
                cast.end();
            }
            return judged(settings, histories, database, schedule);
        }
    }

    /** The history is read first: what it says is committed is there then. */
    private static Outcome judged(Settings settings, Path histories, Database database, Schedule schedule)
            throws IOException, SQLException {
        History history = History.read(histories);
        return new Outcome(history, schedule.happened(), Judge.judge(history, written(database), limits(settings)));
    }

    private static Judge.Limits limits(Settings settings) {
        boolean rowlock = settings.contender().equals("rowlock");
        // Under strategy redis, one that has begun before its successor may commit; the successor waits, and reads what
        // it wrote
        Set<String> fenced =
                rowlock ? Set.of("lease", "row-lock", "unique-key", "transaction") : Set.of(settings.contender());
        return new Judge.Limits(Node.TTL, OVERTIME, Set.of("row-lock"), fenced);
    }

    private static void prepare(Database database, Settings settings) throws SQLException {
        try (Connection connection = database.connect()) {
            for (String table : TABLES) {
                Database.execute(connection, table);
            }
            for (String name :
                    List.of("lease", "row-lock", "unique-key", "redis", "transaction", settings.contender())) {
                for (int key = 0; key < 3; key++) {
                    Database.execute(connection, "INSERT INTO counter VALUES ('%s:%d', 0)".formatted(name, key));
                }
            }
        }
    }

    private static List<Write> written(Database database) throws SQLException {
        try (Connection connection = database.connect()) {
            List<Write> writes = new ArrayList<>();
            for (String row : Database.texts(
                    connection, "SELECT CONCAT(name, ' ', value, ' ', operation) FROM written ORDER BY id")) {
                String[] parts = row.split(" ", -1);
                writes.add(new Write(parts[0], Long.parseLong(parts[1]), Long.parseLong(parts[2])));
            }
            return writes;
        }
    }

    private static void print(Settings settings, Outcome outcome) {
        System.out.println(settings);
        outcome.history()
                .figures()
                .forEach((strategy, row) -> System.out.printf(
                        "%-24s calls %7d, grants %7d, commits %7d, busy %6d, failed %6d%n",
                        strategy, row[0], row[1], row[2], row[3], row[4]));
        System.out.println(outcome.faults());
        outcome.violations().stream()
                .limit(MOST_SHOWN)
                .forEach(violation -> System.out.println(violation.rule() + ": " + violation.text()));
        System.out.println(
                outcome.violations().isEmpty()
                        ? "No rule was broken"
                        : "The first after %d operations; in all %s"
                                .formatted(outcome.operationsUntilFirst(), outcome.rules()));
        System.out.println(outcome.lastLine());
    }
}
