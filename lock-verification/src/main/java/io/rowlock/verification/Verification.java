package io.rowlock.verification;

import io.rowlock.verification.fault.Database;
import io.rowlock.verification.fault.Fault;
import io.rowlock.verification.fault.Redis;
import io.rowlock.verification.fault.Schedule;
import io.rowlock.verification.history.History;
import io.rowlock.verification.history.Judge;
import io.rowlock.verification.history.LogRow;
import io.rowlock.verification.history.Plot;
import io.rowlock.verification.history.Recorder;
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
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.springframework.util.FileSystemUtils;

/** Runs nodes under faults, judges their history, and says what came of it. The exit code is 1 if a rule was broken. */
public final class Verification {
    private static final Duration CALM = Duration.ofSeconds(8);
    private static final Duration ROUND = Duration.ofSeconds(8);
    /** By then a process has written what has happened. */
    private static final long WRITTEN = Duration.ofSeconds(2).toNanos();

    private static final int MOST_SHOWN = 20;

    /** For threads that wait for a processor. */
    private static final Duration BUSY_MACHINE = Duration.ofSeconds(1);

    /** A statement that is not answered begins right before the deadline. */
    private static final Duration OVERTIME = Node.TIMEOUT.plus(BUSY_MACHINE);

    /** The transaction has to have a connection first. */
    private static final Duration IN_TRANSACTION =
            Node.POOL_TIMEOUT.plus(Database.ANSWER).plus(BUSY_MACHINE);

    /** Of peers: a statement, a connection and what they do besides. */
    private static final Duration OF_PEERS = Duration.ofSeconds(4);

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
                    : history.callsUntil(violations.get(0).at());
        }

        /** @return how often each rule was broken */
        Map<String, Long> rules() {
            return violations.stream()
                    .collect(Collectors.groupingBy(Violation::rule, TreeMap::new, Collectors.counting()));
        }

        String lastLine() {
            Totals totals = new Totals();
            totals.add(this);
            return totals.line();
        }
    }

    /** Sums of rounds. */
    static final class Totals {
        private final Map<Fault, Integer> faults = new EnumMap<>(Fault.class);
        private long operations;
        private long grants;
        private long violations;

        void add(Outcome outcome) {
            operations += outcome.history().calls();
            grants += outcome.history().grants();
            outcome.faults().forEach((fault, times) -> faults.merge(fault, times, Integer::sum));
            violations += outcome.violations().size();
        }

        String line() {
            int times = faults.values().stream().mapToInt(Integer::intValue).sum();
            return "operations %d, grants %d, faults %d, violations %d"
                    .formatted(operations, grants, times, violations);
        }
    }

    private Verification() {}

    public static void main(String[] arguments) throws Exception {
        String mutants = System.getProperty("verification.mutants", "");
        Settings settings = Settings.ofProperties(mutants.isBlank() ? Settings.HOUR : Settings.OF_A_MUTANT);
        int status;
        try (Database database = Database.open(settings.server())) {
            boolean sound = mutants.isBlank()
                    ? isSound(settings, Integer.getInteger("verification.rounds", 1), database)
                    : Mutants.run(settings, mutants, database) == 0;
            status = sound ? 0 : 1;
        } catch (Exception e) {
            e.printStackTrace();
            status = 2;
        }
        System.exit(status); // the embedded server would keep this process
    }

    /** Rounds of a long run have seeds of their own, so that a history fits into memory. Ends with the first that breaks a rule. */
    private static boolean isSound(Settings settings, int rounds, Database database) throws Exception {
        Totals totals = new Totals();
        for (int round = 0; round < rounds; round++) {
            Settings ofRound = settings.withSeed(settings.seed() + round);
            Path histories = Files.createTempDirectory("verification-");
            Outcome outcome = run(ofRound, histories, database);
            print(ofRound, outcome);
            String plot = System.getProperty("verification.plot", "");
            if (!plot.isBlank()) {
                Files.writeString(Path.of(plot), Plot.of(outcome.history().samples()));
            }
            totals.add(outcome);
            if (!outcome.violations().isEmpty()) {
                System.out.println("The histories are in " + histories);
                break;
            }
            FileSystemUtils.deleteRecursively(histories);
        }
        System.out.println(totals.faults);
        System.out.println(totals.line());
        return totals.violations == 0;
    }

    static Outcome run(Settings settings, Path histories, Database database) throws Exception {
        boolean isMutant = !settings.classes().isEmpty();
        Schedule schedule = new Schedule(settings.seed(), Node.TTL, settings.kinds(), settings.pause());
        prepare(database, settings);
        try (Redis redis = Redis.open(settings.redis(), histories.resolve("redis"))) {
            try (Cast cast = new Cast(settings, histories, database, redis)) {
                cast.awaitWork();
                cast.sample();
                long end = System.nanoTime()
                        + Duration.ofSeconds(settings.seconds()).toNanos();
                while (System.nanoTime() - end < 0) {
                    schedule.play(cast, isMutant ? Math.min(end, System.nanoTime() + ROUND.toNanos()) : end);
                    if (isMutant) {
                        Outcome soFar = judged(settings, histories, database, schedule, Recorder.now() - WRITTEN);
                        if (!soFar.violations().isEmpty()) {
                            return soFar;
                        }
                    }
                }
                Thread.sleep(CALM.toMillis());
                cast.end();
            }
            return judged(settings, histories, database, schedule, Long.MAX_VALUE);
        }
    }

    /** The history is read first: what it says is committed is there then. */
    private static Outcome judged(Settings settings, Path histories, Database database, Schedule schedule, long until)
            throws IOException, SQLException {
        History history = History.read(histories, until);
        List<Violation> violations = new ArrayList<>(Judge.judge(history, written(database), limits(settings)));
        if (until == Long.MAX_VALUE && settings.contender().equals("rowlock")) {
            violations.addAll(Judge.judgeLog(history, logged(database)));
        }
        return new Outcome(history, schedule.happened(), violations);
    }

    private static List<LogRow> logged(Database database) throws SQLException {
        try (Connection connection = database.connect()) {
            return Database.texts(
                            connection,
                            "SELECT CONCAT_WS(' ', REGEXP_SUBSTR(owner, '[0-9]+'), fence, status, lock_key) FROM rowlock_lock_log WHERE status <> 'FORCED'")
                    .stream()
                    .map(row -> row.split(" ", 4))
                    .map(row -> new LogRow(
                            Integer.parseInt(row[0]),
                            row[3].intern(),
                            Long.parseLong(row[1]),
                            row[2].equals("RELEASED")))
                    .toList();
        }
    }

    private static Judge.Limits limits(Settings settings) {
        boolean rowlock = settings.contender().equals("rowlock");
        // Under strategy redis, one that has begun before its successor may commit; the successor waits, and reads what
        // it wrote
        Set<String> fenced =
                rowlock ? Set.of("lease", "row-lock", "unique-key", "transaction") : Set.of(settings.contender());
        return new Judge.Limits(Node.TTL, rowlock ? OVERTIME : OF_PEERS, rowlock ? IN_TRANSACTION : OF_PEERS, fenced);
    }

    private static void prepare(Database database, Settings settings) throws SQLException {
        database.clear();
        try (Connection connection = database.connect()) {
            for (String table : TABLES) {
                Database.execute(connection, table);
            }
            for (String name :
                    List.of("lease", "row-lock", "unique-key", "redis", "transaction", settings.contender())) {
                for (int key = 0; key < Node.KEYS; key++) {
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
        System.out.println("Overtaken by a later call of another node: "
                + outcome.history().orderAcrossNodes() + " that waited for as long as that");
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
