package io.rowlock.fault;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import io.rowlock.DistributedLockException;
import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.fault.SqlSetup.Logging;
import java.util.List;

/** The scenarios of every store, with all strategies, and those of transactions, the log and the clean-up. */
final class SqlScenarios {
    private final Scenarios scenarios = new Scenarios();

    private SqlScenarios() {}

    static List<Scenario> all() {
        SqlScenarios all = new SqlScenarios();
        all.ofTransactions();
        all.ofPackets();
        all.ofLocksOutside();
        for (Locks locks : List.of(Locks.LEASE, Locks.UNIQUE_KEY, Locks.ROW_LOCK)) {
            all.ofEvery(locks);
        }
        return all.scenarios.all();
    }

    private void ofEvery(Locks locks) {
        SqlSetup setup = new SqlSetup(locks, Logging.OFF);
        SqlSetup logged = new SqlSetup(locks, Logging.ASYNC);
        scenarios.ofEvery(setup);
        scenarios.add("fence and commit", setup, SqlScenarios::fenceAndCommit);
        scenarios.add("lock in an open transaction", setup, SqlScenarios::lockInOpenTransaction);
        scenarios.add("lock after a read", setup, SqlScenarios::lockAfterRead);
        scenarios.add("take and release", logged, Scenarios::takeAndRelease);
        scenarios.add("hand-off inside", logged, Scenarios::handOffInside);
        if (locks != Locks.UNIQUE_KEY) {
            scenarios.ofReaders(setup);
        }
        if (locks != Locks.ROW_LOCK) {
            scenarios.ofLeases(setup);
            scenarios.ofLeaders(setup);
            scenarios.add("takeover", logged, ofSeconds(1), Scenarios::takeOver);
            scenarios.add(new Scenario("clean-up", logged, ofSeconds(1), true, SqlScenarios::cleanUp));
        }
        if (locks == Locks.LEASE) {
            scenarios.ofReadersAndPermits(setup);
            scenarios.add(new Scenario("clean-up of gates", setup, ofSeconds(1), true, SqlScenarios::cleanUpOfGates));
            scenarios.add("permit of a dead holder", logged, ofSeconds(1), Scenarios::permitOfTheDead);
        }
    }

    /** What differs from other leases: how they are taken and released, while others wait or have gone. */
    private void ofPackets() {
        SqlSetup setup = new SqlSetup(Locks.PACKETS, Logging.OFF);
        scenarios.add("take and release, in packets", setup, Scenarios::takeAndRelease);
        scenarios.add("hand-off inside, in packets", setup, Scenarios::handOffInside);
        scenarios.add(
                "hand-off across, giving, in packets",
                setup,
                stage -> Scenarios.handOffAcross(stage, stage.subject, stage.rival));
        scenarios.add("fence and commit, in packets", setup, SqlScenarios::fenceAndCommit);
        scenarios.add(
                "take after a lost answer, in packets", setup, stage -> Scenarios.takeAgain(stage, stage.write()));
        scenarios.add(
                "readers and a writer, writing, in packets",
                setup,
                stage -> Scenarios.readersAndWriter(stage, stage.rival, stage.subject));
        scenarios.add("takeover, in packets", setup, ofSeconds(1), Scenarios::takeOver);
        scenarios.add(
                new Scenario("clean-up of gates, in packets", setup, ofSeconds(1), true, SqlScenarios::cleanUpOfGates));
    }

    /** Locks that are part of a transaction need no store, so any will do. */
    private void ofTransactions() {
        scenarios.add(
                "lock in a transaction", new SqlSetup(Locks.LEASE, Logging.OFF), ZERO, SqlScenarios::lockInTransaction);
        scenarios.add("late call", new SqlSetup(Locks.LEASE, Logging.OFF), SqlScenarios::lateCall);
        scenarios.add(new Scenario(
                "clean-up of rows",
                new SqlSetup(Locks.ROW_LOCK, Logging.OFF),
                ofSeconds(1),
                true,
                SqlScenarios::cleanUpOfRows));
    }

    /** Of locks that are kept elsewhere the database has only the tokens that transactions have relied on. */
    private void ofLocksOutside() {
        SqlSetup early = new SqlSetup(Locks.OUTSIDE, Logging.OFF);
        SqlSetup late = new SqlSetup(Locks.OUTSIDE_LATE, Logging.OFF);
        scenarios.add("fence and commit", early, SqlScenarios::fenceAndCommit);
        scenarios.add("fence and commit, checked late", late, SqlScenarios::fenceAndCommit);
        scenarios.add("overtaken in a transaction", early, stage -> overtaken(stage, 50));
        scenarios.add("overtaken in a transaction, checked late", late, stage -> overtaken(stage, 3_000));
        scenarios.add("transactions of readers", early, SqlScenarios::transactionsOfReaders);
        scenarios.add(new Scenario("clean-up of tokens", early, ZERO, true, SqlScenarios::cleanUpOfTokens));
    }

    private static Account account(Stage stage) {
        return ((SqlScene) stage.scene()).account();
    }

    private static SqlProgram program(Program program) {
        return (SqlProgram) program;
    }

    private static void fenceAndCommit(Stage stage) throws Exception {
        account(stage).open(stage.key);
        stage.step("the subject takes the key", () -> stage.take("a", stage.subject, stage.write()));
        stage.step("it changes the account", () -> {
            if (stage.has("a")) {
                stage.tell(
                        "  " + account(stage).add(program(stage.subject), stage.key, () -> stage.sleep(ofMillis(20))));
            }
        });
        stage.step("it gives the key back", () -> stage.release("a"));
        for (int i = 0; i < 2; i++) {
            stage.step(
                    "the rival takes it",
                    () -> stage.take("b", stage.rival, stage.write().withWaitTime(ofMillis(1_500))));
            stage.step("it changes the account", () -> {
                if (stage.has("b")) {
                    stage.tell("  "
                            + account(stage).add(program(stage.rival), stage.key, () -> stage.sleep(ofMillis(20))));
                }
            });
            stage.step("it gives the key back", () -> stage.release("b"));
        }
    }

    /**
     * The next holder comes while the transaction of the former one is open: it waits and reads what that has written or, if the
     * former one is checked late, that is refused once the next one has committed.
     *
     * @param patience how long the former one waits for the end of the next one, in ms
     */
    private static void overtaken(Stage stage, long patience) throws Exception {
        account(stage).open(stage.key);
        stage.step("the subject takes the key", () -> stage.take("a", stage.subject, stage.write()));
        Thread next = new Thread(() -> changeUnderLock(stage, stage.rival));
        stage.step("it is overtaken while it changes the account", () -> {
            if (stage.has("a")) {
                stage.leave("a");
                stage.tell("  "
                        + account(stage).add(program(stage.subject), stage.key, () -> {
                            program(stage.subject).elsewhere.expire(stage.key);
                            next.start();
                            next.join(patience);
                        }));
            }
        });
        stage.step("the next has changed the account", next::join);
        stage.step("the subject gives the key back", () -> stage.release("a"));
        stage.step("it changes the account again", () -> changeUnderLock(stage, stage.subject));
        stage.step("the rival changes it", () -> changeUnderLock(stage, stage.rival));
    }

    /** On a thread that has no lock, because a transaction relies on the locks of its thread. */
    private static void changeUnderLock(Stage stage, Program program) {
        try (HeldLock lock = program.client().acquire(stage.write().withWaitTime(ofMillis(1_500)))) {
            stage.tell("  token " + lock.fencingToken() + ": "
                    + account(stage).add(program(program), stage.key, () -> stage.sleep(ofMillis(20))));
        } catch (Exception e) {
            stage.tell("  " + e);
        }
    }

    /** They share the row of the token, which a writer that overtakes them raises once they have ended. */
    private static void transactionsOfReaders(Stage stage) throws Exception {
        account(stage).open(stage.key);
        for (int i = 0; i < 2; i++) {
            Thread writer = new Thread(() -> changeUnderLock(stage, stage.other("writer")));
            stage.step("both read, and a writer overtakes the subject", () -> {
                Thread rival = new Thread(() -> readUnderLock(stage, stage.rival, () -> {}));
                rival.start();
                readUnderLock(stage, stage.subject, () -> {
                    program(stage.subject).elsewhere.expire(stage.key);
                    writer.start();
                    writer.join(50);
                });
                rival.join();
            });
            stage.step("the writer has changed the account", writer::join);
        }
    }

    private static void readUnderLock(Stage stage, Program program, Stage.Action between) {
        try (HeldLock lock = program.client().acquire(stage.read().withWaitTime(ofMillis(1_500)))) {
            stage.tell("  token " + lock.fencingToken() + ": "
                    + account(stage).read(program(program), stage.key, between, stage.judge));
        } catch (DistributedLockException e) {
            stage.tell("  " + e);
        }
    }

    /** Of a key that is used again, and of one that is in use. */
    private static void cleanUpOfTokens(Stage stage) throws Exception {
        account(stage).open(stage.key);
        stage.step("the rival changes the account", () -> changeUnderLock(stage, stage.rival));
        stage.step("a day passes", () -> program(stage.rival).ageTokens());
        stage.step("the subject cleans up", () -> cleanUpIdleTokens(stage));
        stage.step("the rival changes the account again", () -> changeUnderLock(stage, stage.rival));
        stage.step("a day passes", () -> program(stage.rival).ageTokens());
        stage.step("the rival takes the key", () -> stage.take("a", stage.rival, stage.write()));
        stage.step("the subject cleans up while the rival changes the account", () -> {
            if (stage.has("a")) {
                stage.tell("  " + account(stage).add(program(stage.rival), stage.key, () -> cleanUpIdleTokens(stage)));
            }
        });
        stage.step("the rival gives it back", () -> stage.release("a"));
        stage.step("the subject cleans up", () -> cleanUpIdleTokens(stage));
        stage.step("the subject changes the account", () -> changeUnderLock(stage, stage.subject));
    }

    private static void cleanUpIdleTokens(Stage stage) {
        try {
            stage.tell("  " + program(stage.subject).cleanUpIdleTokens());
        } catch (DistributedLockException e) {
            stage.tell("  " + e);
        }
    }

    /** The lock is the first that the transaction asks for, so it sees the grant, or the mark of it. */
    private static void lockInOpenTransaction(Stage stage) throws Exception {
        account(stage).open(stage.key);
        stage.step("the subject changes the account", () -> changeUnderLateLock(stage, stage.subject, () -> {}));
        stage.step("the rival changes it meanwhile", () -> {
            Thread rival = new Thread(() -> changeUnderLateLock(stage, stage.rival, () -> {}));
            rival.start();
            changeUnderLateLock(stage, stage.subject, () -> {});
            rival.join();
        });
        rivalChanges(stage);
    }

    /** The transaction goes on to read what was there before the rival's change, so whatever it meets it must not commit. */
    private static void lockAfterRead(Stage stage) throws Exception {
        account(stage).open(stage.key);
        for (int i = 0; i < 2; i++) {
            stage.step(
                    "the subject reads, the rival changes the account, and the subject follows",
                    () -> changeUnderLateLock(stage, stage.subject, () -> {
                        account(stage).look(program(stage.subject), stage.key);
                        Thread rival = new Thread(() -> changeUnderLateLock(stage, stage.rival, () -> {}));
                        rival.start();
                        rival.join();
                    }));
        }
        rivalChanges(stage);
    }

    /** A transaction whose next request is late has the key's row locked until that arrives. */
    private static void rivalChanges(Stage stage) throws Exception {
        for (int i = 0; i < 3; i++) {
            stage.step("the rival changes it", () -> changeUnderLateLock(stage, stage.rival, () -> {}));
        }
    }

    private static void changeUnderLateLock(Stage stage, Program program, Stage.Action before) {
        LockRequest request = stage.write().withWaitTime(ofMillis(1_500));
        try {
            stage.tell("  " + account(stage).addUnderLateLock(program(program), request, stage.key, before));
        } catch (Exception e) {
            stage.tell("  " + e);
        }
    }

    private static void lockInTransaction(Stage stage) throws Exception {
        account(stage).open(stage.key);
        stage.step("the subject changes the account", () -> changeLocked(stage, stage.subject));
        stage.step("the rival changes it meanwhile", () -> {
            Thread rival = new Thread(() -> changeQuietly(stage, stage.rival));
            rival.start();
            changeLocked(stage, stage.subject);
            rival.join();
        });
        stage.step("the rival changes it", () -> changeLocked(stage, stage.rival));
    }

    private static void changeLocked(Stage stage, Program program) throws Exception {
        LockRequest request = stage.write().withStrategy("transaction").withWaitTime(ofMillis(1_500));
        stage.tell(
                "  " + account(stage).addLocked(program(program), request, stage.key, () -> stage.sleep(ofMillis(20))));
    }

    private static void changeQuietly(Stage stage, Program program) {
        try {
            changeLocked(stage, program);
        } catch (Exception e) {
            stage.tell("  " + e);
        }
    }

    /** The receiver knows no lock, only the tokens that calls come with. */
    private static void lateCall(Stage stage) throws Exception {
        account(stage).open(stage.key);
        long former = token(stage, "former");
        long latter = token(stage, "latter");
        stage.step("the former holder calls the subject", () -> call(stage, stage.subject, former));
        stage.step("the latter calls the subject, and the former the rival meanwhile", () -> {
            Thread rival = new Thread(() -> call(stage, stage.rival, former));
            rival.start();
            call(stage, stage.subject, latter);
            rival.join();
        });
        stage.step("the latter calls the rival", () -> call(stage, stage.rival, latter));
        stage.step("the former calls the subject", () -> call(stage, stage.subject, former));
        stage.step("the latter calls the rival", () -> call(stage, stage.rival, latter));
    }

    private static long token(Stage stage, String holder) {
        try (HeldLock lock = stage.other(holder).client().acquire(stage.write())) {
            return lock.fencingToken();
        }
    }

    private static void call(Stage stage, Program receiver, long token) {
        try {
            stage.tell("  token " + token + ": "
                    + account(stage).addForCall(program(receiver), stage.key, token, stage.judge));
        } catch (Exception e) {
            stage.tell("  " + e);
        }
    }

    /** Of one that is made anew while it is removed, and of one that is in use. */
    private static void cleanUpOfGates(Stage stage) throws Exception {
        stage.step("the rival takes the key", () -> stage.take("a", stage.rival, stage.write()));
        stage.step("the rival gives it back", () -> stage.release("a"));
        for (int i = 0; i < 2; i++) {
            stage.step("the subject cleans up while the key is taken and given back", () -> {
                stage.sleep(ofMillis(10));
                Thread cleanUp = new Thread(
                        () -> stage.tell("  " + program(stage.subject).cleanUp()));
                cleanUp.start();
                stage.take("b", stage.other("third"), stage.write());
                stage.release("b");
                cleanUp.join();
            });
            stage.step("the subject takes the key", () -> stage.take("c", stage.subject, stage.write()));
            stage.step(
                    "another cleans up",
                    () -> stage.tell("  " + program(stage.other("third")).cleanUp()));
            stage.step("the rival tries", () -> stage.take("a", stage.rival, stage.write()));
            stage.step("the rival gives back what it may have", () -> stage.release("a"));
            stage.step("the subject gives it back", () -> stage.release("c"));
        }
    }

    /** Of keys that are used again, and of one that is in use. */
    private static void cleanUpOfRows(Stage stage) throws Exception {
        account(stage).open(stage.key);
        stage.step("the rival takes the key", () -> stage.take("a", stage.rival, stage.write()));
        stage.step("the rival gives it back", () -> stage.release("a"));
        stage.step("it changes the account", () -> changeLocked(stage, stage.rival));
        stage.step(
                "the subject cleans up",
                () -> stage.tell("  " + program(stage.subject).cleanUp()));
        stage.step("the rival takes the key again", () -> stage.take("a", stage.rival, stage.write()));
        stage.step("it changes the account", () -> changeLocked(stage, stage.rival));
        stage.step(
                "the subject cleans up",
                () -> stage.tell("  " + program(stage.subject).cleanUp()));
        stage.step("the subject tries", () -> stage.take("b", stage.subject, stage.write()));
        stage.step("the subject gives back what it may have", () -> stage.release("b"));
        stage.step("the rival gives it back", () -> stage.release("a"));
        stage.step(
                "the subject cleans up",
                () -> stage.tell("  " + program(stage.subject).cleanUp()));
        stage.step("the subject changes the account", () -> changeLocked(stage, stage.subject));
        stage.step("the rival changes the account", () -> changeLocked(stage, stage.rival));
    }

    /** Of a key without a holder, a dead reader, a dead writer and what the log says of them. */
    private static void cleanUp(Stage stage) throws Exception {
        LockRequest dead =
                LockRequest.exclusive(stage.key + "-dead").withTtl(ofSeconds(1)).withRenewal(false);
        stage.step("some are taken", () -> {
            stage.take("a", stage.rival, stage.write());
            stage.take("dead", stage.other("dead"), dead);
            if (((SqlSetup) stage.setup()).locks() != Locks.UNIQUE_KEY) {
                stage.take(
                        "reader",
                        stage.other("dead"),
                        LockRequest.shared(stage.key + "-read")
                                .withTtl(ofSeconds(1))
                                .withRenewal(false));
            }
        });
        stage.step("one is given back, the others run out", () -> {
            stage.release("a");
            stage.sleep(ofMillis(1_200));
        });
        stage.step(
                "the subject cleans up",
                () -> stage.tell("  " + program(stage.subject).cleanUp()));
        stage.step("the rival takes the key", () -> stage.take("a", stage.rival, stage.write()));
        stage.step(
                "the subject cleans up",
                () -> stage.tell("  " + program(stage.subject).cleanUp()));
        stage.step("another tries", () -> stage.take("b", stage.other("third"), stage.write()));
        stage.step("the rival gives it back", () -> {
            stage.release("b");
            stage.release("a");
        });
        stage.forget("dead");
        stage.forget("reader");
    }
}
