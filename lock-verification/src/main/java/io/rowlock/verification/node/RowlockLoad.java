package io.rowlock.verification.node;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.autoconfigure.database.LockPools;
import io.rowlock.leader.LeaderElections;
import io.rowlock.store.jdbc.log.AsyncLockLog;
import io.rowlock.verification.history.Event.Kind;
import io.rowlock.verification.history.Recorder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** All uses of locks: those of the client here, those of annotated methods as {@link AnnotatedLoad}. */
final class RowlockLoad implements Node.Load {
    private static final List<String> STRATEGIES = List.of("lease", "row-lock", "unique-key", "redis");
    private static final List<String> WITH_READERS = List.of("lease", "row-lock", "redis");
    private static final List<String> WITH_PERMITS = List.of("lease", "redis");
    private static final int PERMITS = 3;
    /** Uses without a transaction, of which each call waits for its lock. */
    private static final String QUICK = "(client|view|rw|permit)/.*";

    /** Two keys are tried, one after the other: the second may find its server silent, too. */
    private static final Duration ANY = Node.TIMEOUT.dividedBy(2);

    static final Duration MINIMUM = Duration.ofMillis(800);
    /** The ttl of locks that are held for longer, without renewal. */
    private static final Duration SHORT = Duration.ofSeconds(1);

    private static final long LOOK_NANOS = 50_000_000;
    private static final long SECOND = 1_000_000_000;
    private static final long SCATTER = 0x9E3779B97F4A7C15L;

    private final ConfigurableApplicationContext application;
    private final Recorder recorder;
    private final LockClient locks;
    private final Work work;
    private final Increments increments;
    private final Notes notes;
    private final AnnotatedLoad annotated;
    private final List<Choice> choices = new ArrayList<>();
    private final List<Choice> quick;

    private interface Use {
        void step(String strategy, Theme theme, Random random) throws InterruptedException;
    }

    private record Choice(String name, String strategy, Use use) {}

    RowlockLoad(Recorder recorder, Arguments arguments) {
        this.recorder = recorder;
        Listener listener = new Listener(recorder);
        this.application = RowlockApplication.start(arguments, listener);
        this.locks = application.getBean(LockClient.class);
        this.work = application.getBean(Work.class);
        this.increments = new Increments(application.getBean(JdbcTemplate.class), recorder);
        this.notes = new Notes(recorder, listener, locks);
        this.annotated = new AnnotatedLoad(notes, work, increments);
        LeaderWatch.start(application.getBean(LeaderElections.class).of("judge"), work, recorder);
        choose(35, "guarded", STRATEGIES, annotated::guarded);
        choose(7, "guarded", List.of("transaction"), annotated::guarded);
        choose(8, "jpa", STRATEGIES, annotated::guardedByJpa);
        choose(15, "client", STRATEGIES, this::client);
        choose(7, "view", STRATEGIES, this::view);
        choose(12, "rw", WITH_READERS, this::readOrWrite);
        choose(8, "permit", WITH_PERMITS, this::permit);
        choose(4, "any", List.of("lease"), this::any);
        choose(3, "several", STRATEGIES, this::several);
        choose(1, "job", List.of("lease"), this::job);
        choices.removeIf(choice -> !choice.name().matches(arguments.uses()));
        quick = choices.stream().filter(choice -> choice.name().matches(QUICK)).toList();
    }

    /** @param percent of all steps */
    private void choose(int percent, String name, List<String> strategies, Use use) {
        for (String strategy : strategies) {
            Choice choice = new Choice(name + "/" + strategy, strategy, use);
            choices.addAll(Collections.nCopies(percent * 12 / strategies.size(), choice));
        }
    }

    @Override
    public void step(Random random) throws InterruptedException {
        Random common = common(random);
        Choice choice = choices.get(common.nextInt(choices.size()));
        choice.use().step(choice.strategy(), Theme.of(common), random);
        Thread.sleep(random.nextInt(2));
    }

    @Override
    public void quickStep(Random random) throws InterruptedException {
        if (quick.isEmpty()) {
            step(random);
            return;
        }
        Random common = common(random);
        Choice choice = quick.get(common.nextInt(quick.size()));
        choice.use().step(choice.strategy(), Theme.quick(common), random);
    }

    private static Random common(Random random) {
        return random.nextInt(3) == 0 ? random : new Random(Recorder.now() / SECOND * SCATTER);
    }

    // ---- the client

    private interface Holding {
        void use(long operation, HeldLock lock);
    }

    private void client(String strategy, Theme theme, Random random) {
        String key = strategy + ":" + theme.key(random);
        if (!theme.isQuick() && random.nextInt(30) == 0) {
            LockRequest expiring = LockRequest.exclusive(key).withRenewal(false).withTtl(SHORT);
            acquire(expiring.withStrategy(strategy), "X", holding(SHORT.toMillis() + random.nextInt(200)));
            return;
        }
        boolean withTransaction = !theme.isQuick() && random.nextInt(3) == 0;
        long millis = theme.holdMillis(random);
        acquire(LockRequest.exclusive(key).withStrategy(strategy), "X", (operation, lock) -> {
            if (withTransaction) {
                annotated.transaction(
                        operation, key, () -> work.unguarded(() -> increments.increment(operation, key, millis)));
            } else {
                hold(operation, lock, millis);
            }
        });
    }

    private void readOrWrite(String strategy, Theme theme, Random random) {
        String key = "rw-" + strategy + ":" + theme.key(random);
        long millis = theme.sharedMillis(random);
        boolean isExclusive = random.nextInt(3) == 0;
        boolean isAnnotated = AnnotatedLoad.isChosen(strategy, random);
        if (isExclusive && isAnnotated) {
            annotated.write(strategy, key, millis);
        } else if (isAnnotated) {
            annotated.read(strategy, key, millis);
        } else if (isExclusive) {
            acquire(LockRequest.exclusive(key).withStrategy(strategy), "X", holding(millis));
        } else {
            acquire(LockRequest.shared(key).withStrategy(strategy), "S", holding(millis));
        }
    }

    private void permit(String strategy, Theme theme, Random random) {
        String key = "permit-" + strategy + ":" + theme.key(random);
        long millis = theme.sharedMillis(random);
        if (AnnotatedLoad.isChosen(strategy, random)) {
            annotated.permit(strategy, key, "P" + PERMITS, millis);
            return;
        }
        acquire(LockRequest.permit(key, PERMITS).withStrategy(strategy), "P" + PERMITS, holding(millis));
    }

    private void acquire(LockRequest request, String mode, Holding holding) {
        String key = request.keys().get(0);
        long operation = notes.asked(key, mode, Node.WAIT);
        try {
            use(operation, locks.acquire(request), holding);
        } catch (RuntimeException e) {
            notes.failed(operation, key, e);
        }
    }

    private void any(String strategy, Theme theme, Random random) {
        List<String> keys = List.of("any-" + strategy + ":0", "any-" + strategy + ":1");
        long asked = Recorder.now();
        long operation = notes.asked(keys.get(0), "X", ANY);
        Runnable second = () -> recorder.add(asked, operation, Kind.ASKED, keys.get(1), "X", ANY.toNanos());
        try {
            Optional<HeldLock> lock = locks.tryAcquireAny(
                    keys.stream().map(LockRequest::exclusive).toList());
            if (lock.isEmpty() || lock.get().key().equals(keys.get(1))) {
                notes.busy(operation, keys.get(0));
                second.run();
            }
            lock.ifPresentOrElse(
                    one -> use(operation, one, holding(theme.holdMillis(random))),
                    () -> notes.busy(operation, keys.get(1)));
        } catch (RuntimeException e) {
            second.run(); // whichever it was
            keys.forEach(key -> notes.failed(operation, key, e));
        }
    }

    private void several(String strategy, Theme theme, Random random) {
        List<String> keys = List.of(strategy + ":0", strategy + ":1");
        long operation = notes.asked(keys.get(0), "X", Node.WAIT);
        recorder.add(operation, Kind.ASKED, keys.get(1), "X", Node.WAIT.toNanos());
        try {
            HeldLock lock = locks.acquire(LockRequest.exclusive(keys).withStrategy(strategy));
            use(operation, lock, holding(theme.holdMillis(random)));
        } catch (RuntimeException e) {
            keys.forEach(key -> notes.failed(operation, key, e));
        }
    }

    private void job(String strategy, Theme theme, Random random) {
        if (random.nextBoolean()) {
            annotated.job(random);
            return;
        }
        String key = "job-" + strategy + ":" + theme.key(random);
        long operation = notes.asked(key, "X", Duration.ZERO);
        try {
            locks.tryAcquire(LockRequest.exclusive(key).withHoldAtLeast(MINIMUM))
                    .ifPresentOrElse(
                            lock -> {
                                recorder.add(operation, Kind.MINIMUM, key, "", MINIMUM.toNanos());
                                use(operation, lock, holding(random.nextInt(10)));
                            },
                            () -> notes.busy(operation, key));
        } catch (RuntimeException e) {
            notes.failed(operation, key, e);
        }
    }

    private void use(long operation, HeldLock lock, Holding holding) {
        for (HeldLock part : lock.parts()) {
            recorder.add(operation, Kind.GRANTED, part.key(), "", part.fencingToken());
            claim(operation, part);
        }
        try (lock) {
            holding.use(operation, lock);
            lock.parts().forEach(part -> claim(operation, part));
            lock.parts().forEach(part -> recorder.add(operation, Kind.ENDED, part.key()));
        } catch (RuntimeException e) {
            // it was released, or is, and its loss was reported
        }
        lock.parts().stream().filter(HeldLock::isLost).forEach(part -> recorder.add(operation, Kind.LOST, part.key()));
    }

    private void claim(long operation, HeldLock part) {
        long now = Recorder.now();
        long remaining = part.remaining().toNanos();
        if (remaining > 0) {
            recorder.add(operation, Kind.HELD, part.key(), "", now + remaining);
        }
    }

    private Holding holding(long millis) {
        return (operation, lock) -> hold(operation, lock, millis);
    }

    private void hold(long operation, HeldLock lock, long millis) {
        long end = Recorder.now() + millis * 1_000_000;
        for (long left = end - Recorder.now(); left > 0; left = end - Recorder.now()) {
            Increments.sleep(Math.max(1, Math.min(left, LOOK_NANOS) / 1_000_000));
            lock.parts().forEach(part -> claim(operation, part));
        }
    }

    private void view(String strategy, Theme theme, Random random) throws InterruptedException {
        String key = strategy + ":" + theme.key(random);
        Lock lock = locks.lock(LockRequest.exclusive(key).withStrategy(strategy));
        long operation = notes.asked(key, "X", Node.WAIT);
        try {
            if (!lock.tryLock(Node.WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
                notes.busy(operation, key);
                return;
            }
        } catch (RuntimeException e) {
            notes.failed(operation, key, e);
            return;
        }
        recorder.add(operation, Kind.GRANTED, key);
        notes.claim(operation, key);
        Increments.sleep(theme.holdMillis(random));
        notes.claim(operation, key);
        recorder.add(operation, Kind.ENDED, key);
        try {
            lock.unlock();
        } catch (LockLostException e) {
            recorder.add(operation, Kind.LOST, key);
        } catch (RuntimeException e) {
            // it is released later, or ends with its ttl
        }
    }

    @Override
    public List<HikariDataSource> lockPools() {
        return application.getBean(LockPools.class).all();
    }

    @Override
    public List<HikariDataSource> pools() {
        return List.of(application.getBean("dataSource", HikariDataSource.class));
    }

    @Override
    public void close() {
        AsyncLockLog log = application.getBean(AsyncLockLog.class);
        application.close();
        recorder.add(0, Kind.LOGGED, "", "", log.dropped());
    }
}
