package io.rowlock.fault;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import io.rowlock.LockRequest;
import io.rowlock.leader.LeaderElection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Scenarios of every store. Whatever a program can do with a lock alone is in one of them at least. */
final class Scenarios {
    private static final Duration LONGER = ofSeconds(6);
    private static final Duration SOON_RENEWED = ofSeconds(2);

    /** So rarely that a lease that has become shorter ends before. */
    private final List<Scenario> all = new ArrayList<>();

    List<Scenario> all() {
        return all;
    }

    void ofEvery(Setup setup) {
        add("take and release", setup, Scenarios::takeAndRelease);
        add("hand-off inside", setup, Scenarios::handOffInside);
        add("hand-off across, giving", setup, stage -> handOffAcross(stage, stage.subject, stage.rival));
        add("hand-off across, taking", setup, stage -> handOffAcross(stage, stage.rival, stage.subject));
        add("give up waiting", setup, Scenarios::giveUp);
        add("renewal", setup, Scenarios::renewal);
        add("extend", setup, Scenarios::extend);
        add("any of three", setup, Scenarios::anyOf);
        add("hold at least", setup, ofSeconds(1), Scenarios::holdAtLeast);
        add("take after a lost answer", setup, stage -> takeAgain(stage, stage.write()));
    }

    void ofReaders(Setup setup) {
        add("readers and a writer, reading", setup, stage -> readersAndWriter(stage, stage.subject, stage.rival));
        add("readers and a writer, writing", setup, stage -> readersAndWriter(stage, stage.rival, stage.subject));
        add("downgrade", setup, Scenarios::downgrade);
        add("read after a lost answer", setup, stage -> takeAgain(stage, stage.read()));
    }

    void ofLeases(Setup setup) {
        add("takeover", setup, ofSeconds(1), Scenarios::takeOver);
    }

    void ofLeaders(Setup setup) {
        add("leader change, yielding", setup, stage -> leaderChange(stage, stage.subject, stage.rival));
        add("leader change, promoted", setup, stage -> leaderChange(stage, stage.rival, stage.subject));
    }

    void ofReadersAndPermits(Setup setup) {
        add("permits, held", setup, stage -> permits(stage, stage.subject, stage.rival));
        add("permits, waited for", setup, stage -> permits(stage, stage.rival, stage.subject));
        add("permit after a lost answer", setup, stage -> takeAgain(stage, stage.permit()));
        add("takeover by a reader", setup, ofSeconds(1), stage -> takeOver(stage, stage.read()));
        add("takeover by a permit", setup, ofSeconds(1), stage -> takeOver(stage, stage.permit()));
    }

    void add(String name, Setup setup, Scenario.Play play) {
        add(name, setup, ZERO, play);
    }

    /** @param blocks how much longer than usual the key may be taken in the end */
    void add(String name, Setup setup, Duration blocks, Scenario.Play play) {
        add(new Scenario(name, setup, blocks, false, play));
    }

    void add(Scenario scenario) {
        all.add(scenario);
    }

    static void takeAndRelease(Stage stage) throws Exception {
        stage.step("the subject takes the key", () -> stage.take("a", stage.subject, stage.write()));
        stage.step("the rival tries", () -> stage.take("b", stage.rival, stage.write()));
        stage.step("the rival gives back what it may have", () -> stage.release("b"));
        stage.step("the subject gives it back", () -> stage.release("a"));
    }

    static void handOffInside(Stage stage) throws Exception {
        stage.step("one thread takes the key", () -> stage.take("one", stage.subject, stage.write()));
        stage.step("another waits", () -> stage.ask("other", stage.subject, stage.write()));
        stage.step("the first gives it back", () -> {
            stage.sleep(ofMillis(30));
            stage.release("one");
        });
        stage.step("the other has it", () -> stage.answer("other"));
        stage.step("the rival tries", () -> stage.take("b", stage.rival, stage.write()));
        stage.step("the rival gives back what it may have", () -> stage.release("b"));
        stage.step("the other gives it back", () -> stage.release("other"));
    }

    /** A process that queued keeps its queue position while it holds, and leaves the queue with its release. */
    static void handOffAcross(Stage stage, Program giver, Program taker) throws Exception {
        stage.step("one takes the key", () -> stage.take("giver", giver, stage.write()));
        stage.step("the next waits", () -> stage.ask("taker", taker, stage.write()));
        stage.step("a third waits", () -> {
            stage.sleep(ofMillis(80));
            stage.ask("third", stage.other("third"), stage.write());
        });
        stage.step("it is given back", () -> {
            stage.sleep(ofMillis(80));
            stage.release("giver");
        });
        stage.step("the next has it", () -> stage.answer("taker"));
        stage.step("it is given back", () -> stage.release("taker"));
        stage.step("the third has it", () -> stage.answer("third"));
        stage.step("it is given back", () -> stage.release("third"));
    }

    private static void giveUp(Stage stage) throws Exception {
        stage.step("the rival takes the key", () -> stage.take("b", stage.rival, stage.write()));
        stage.step(
                "the subject waits in vain",
                () -> stage.take("a", stage.subject, stage.write().withWaitTime(ofMillis(200))));
        stage.step("the rival gives it back", () -> stage.release("b"));
        stage.step("the subject gives back what it may have", () -> stage.release("a"));
    }

    private static void renewal(Stage stage) throws Exception {
        LockRequest request = stage.write().withTtl(ofSeconds(1));
        stage.step("the subject takes the key", () -> stage.take("a", stage.subject, request));
        for (int i = 0; i < 3; i++) {
            stage.step("it is renewed", () -> stage.sleep(ofMillis(370)));
            stage.step("the rival tries", () -> stage.take("b", stage.rival, stage.write()));
            stage.step("the rival gives back what it may have", () -> stage.release("b"));
        }
        stage.step("the subject gives it back", () -> stage.release("a"));
    }

    /** Renewals go on with the longer ttl or, if it is not known to have come to that, the shorter one. */
    private static void extend(Stage stage) throws Exception {
        LockRequest request = stage.write().withTtl(SOON_RENEWED);
        stage.step("the subject takes the key", () -> stage.take("a", stage.subject, request));
        stage.step("it is extended", () -> {
            if (stage.has("a")) {
                stage.lock("a").extend(LONGER);
            }
        });
        stage.step("it is renewed", () -> stage.sleep(ofMillis(700)));
        stage.step("the rival tries", () -> stage.take("b", stage.rival, stage.write()));
        stage.step(
                "the rival waits",
                () -> stage.take("b", stage.rival, stage.write().withWaitTime(ofMillis(1_200))));
        stage.step("the rival gives back what it may have", () -> stage.release("b"));
        stage.step("the subject gives it back", () -> stage.release("a"));
    }

    private static void anyOf(Stage stage) throws Exception {
        LockRequest taken = LockRequest.exclusive(stage.key + "-taken");
        List<LockRequest> three = List.of(taken, stage.write(), LockRequest.exclusive(stage.key + "-spare"));
        stage.step("the rival takes one", () -> stage.take("b", stage.rival, taken));
        stage.step(
                "the subject takes one of three",
                () -> stage.take("a", stage.subject, client -> client.tryAcquireAny(three)));
        stage.step(
                "the rival takes one, too", () -> stage.take("c", stage.rival, client -> client.tryAcquireAny(three)));
        stage.step("the rival gives them back", () -> {
            stage.release("b");
            stage.release("c");
        });
        stage.step("the subject gives it back", () -> stage.release("a"));
    }

    private static void holdAtLeast(Stage stage) throws Exception {
        LockRequest request = stage.write().withHoldAtLeast(ofMillis(800));
        stage.step("the subject takes the key", () -> stage.take("a", stage.subject, request));
        stage.step("it gives it back too early", () -> stage.release("a"));
        stage.step("the rival tries", () -> stage.take("b", stage.rival, stage.write()));
        stage.step(
                "the rival waits",
                () -> stage.take("b", stage.rival, stage.write().withWaitTime(ofSeconds(1))));
        stage.step("the rival gives it back", () -> stage.release("b"));
    }

    /** The first answer to a statement that writes is lost in every run; what is done about that meets faults. */
    static void takeAgain(Stage stage, LockRequest request) throws Exception {
        stage.step("the rival takes the key, so that it is known", () -> stage.take("b", stage.rival, request));
        stage.step("the rival gives it back", () -> stage.release("b"));
        stage.plan.given(Fault.ANSWER_LOST, stage.setup()::takes);
        stage.step("the answer is lost", () -> stage.take("a", stage.subject, request));
        for (int i = 0; i < 3; i++) {
            stage.step("the subject tries again", () -> {
                if (!stage.has("a")) {
                    stage.take("a", stage.subject, request.withWaitTime(ofMillis(200)));
                }
            });
        }
        stage.step("the rival tries", () -> stage.take("b", stage.rival, stage.write()));
        stage.step("the rival tries", () -> stage.take("b", stage.rival, stage.write()));
        stage.step("the rival gives back what it may have", () -> stage.release("b"));
        stage.step("the subject gives it back", () -> stage.release("a"));
    }

    static void readersAndWriter(Stage stage, Program reader, Program writer) throws Exception {
        stage.step("one reads", () -> stage.take("one", reader, stage.read()));
        stage.step("another process reads", () -> stage.take("third", stage.other("third"), stage.read()));
        stage.step("a writer waits", () -> stage.ask("writer", writer, stage.write()));
        stage.step("the reader leaves", () -> {
            stage.sleep(ofMillis(80));
            stage.release("one");
        });
        stage.step("another process leaves", () -> stage.release("third"));
        stage.step("the writer has it", () -> stage.answer("writer"));
        stage.step("it reads again", () -> stage.ask("again", reader, stage.read()));
        stage.step("the writer leaves", () -> {
            stage.sleep(ofMillis(50));
            stage.release("writer");
        });
        stage.step("it reads", () -> stage.answer("again"));
        stage.step("it leaves", () -> stage.release("again"));
    }

    private static void permits(Stage stage, Program first, Program second) throws Exception {
        stage.step("one has a permit", () -> stage.take("one", first, stage.permit()));
        stage.step("another process has one", () -> stage.take("third", stage.other("third"), stage.permit()));
        stage.step("the next waits", () -> stage.ask("next", second, stage.permit()));
        stage.step("it is given back", () -> {
            stage.sleep(ofMillis(80));
            stage.release("one");
        });
        stage.step("the next has it", () -> stage.answer("next"));
        stage.step("a writer waits", () -> stage.ask("writer", first, stage.write()));
        stage.step("both are given back", () -> {
            stage.sleep(ofMillis(50));
            stage.release("third");
            stage.release("next");
        });
        stage.step("the writer has it", () -> stage.answer("writer"));
        stage.step("the writer leaves", () -> stage.release("writer"));
    }

    static void permitOfTheDead(Stage stage) throws Exception {
        LockRequest unrenewed = stage.permit().withTtl(ofSeconds(1)).withRenewal(false);
        stage.step("two take permits and die", () -> {
            stage.take("dead", stage.other("dead"), unrenewed);
            stage.forget("dead");
            stage.take("dead too", stage.other("dead"), unrenewed);
            stage.forget("dead too");
        });
        stage.step(
                "the subject waits",
                () -> stage.take("a", stage.subject, stage.permit().withWaitTime(Stage.PATIENCE)));
        stage.step("the rival takes the other", () -> stage.take("b", stage.rival, stage.permit()));
        stage.step("the rival gives back what it may have", () -> stage.release("b"));
        stage.step("the subject gives it back", () -> stage.release("a"));
    }

    /** Another thread of the process waits for what it cannot have while the process reads. */
    private static void downgrade(Stage stage) throws Exception {
        stage.step("the subject writes", () -> stage.take("writer", stage.subject, stage.write()));
        stage.step("it reads, too", () -> {
            if (stage.has("writer")) {
                stage.leave("writer");
                stage.take("reader", stage.subject, stage.read());
            }
        });
        stage.step("another thread waits to write", () -> stage.ask("other", stage.subject, stage.write()));
        stage.step("it writes no more", () -> {
            stage.sleep(ofMillis(30));
            stage.changes("reader");
            stage.release("writer");
        });
        stage.step(
                "the rival reads",
                () -> stage.take("rival", stage.rival, stage.read().withWaitTime(ofMillis(100))));
        stage.step("it reads no more", () -> stage.release("reader"));
        stage.step("the rival goes on for a moment", () -> stage.sleep(ofMillis(150)));
        stage.step("the rival reads no more", () -> stage.release("rival"));
        stage.step("the other writes", () -> stage.answer("other"));
        stage.step("it writes no more", () -> stage.release("other"));
    }

    static void takeOver(Stage stage) throws Exception {
        takeOver(stage, stage.write());
    }

    private static void takeOver(Stage stage, LockRequest request) throws Exception {
        LockRequest unrenewed = stage.write().withTtl(ofSeconds(1)).withRenewal(false);
        stage.step("one takes the key and dies", () -> {
            stage.take("dead", stage.other("dead"), unrenewed);
            stage.forget("dead");
        });
        stage.step("the subject waits", () -> stage.take("a", stage.subject, request.withWaitTime(Stage.PATIENCE)));
        stage.step("the rival tries", () -> stage.take("b", stage.rival, stage.write()));
        stage.step("the rival gives back what it may have", () -> stage.release("b"));
        stage.step("the subject gives it back", () -> stage.release("a"));
    }

    private static void leaderChange(Stage stage, Program first, Program second) throws Exception {
        List<LeaderElection> candidates = new ArrayList<>();
        stage.step("one leads", () -> {
            candidates.add(stage.stand(first));
            await(candidates.get(0), 1_500);
        });
        stage.step("another stands", () -> candidates.add(stage.stand(second)));
        stage.step("the first is renewed", () -> stage.sleep(ofMillis(400)));
        stage.step("the first yields", () -> candidates.get(0).yieldLeadership());
        stage.step("the other leads", () -> await(candidates.get(1), 1_500));
        stage.step("the other yields", () -> candidates.get(1).yieldLeadership());
    }

    private static void await(LeaderElection candidate, long millis) throws InterruptedException {
        long end = System.nanoTime() + millis * 1_000_000;
        while (!candidate.isLeader() && end - System.nanoTime() > 0) {
            Thread.sleep(10); // between two looks, within the time that the scenario allows
        }
    }
}
