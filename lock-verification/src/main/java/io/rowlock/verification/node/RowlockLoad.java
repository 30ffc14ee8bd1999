package io.rowlock.verification.node;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockLostException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.StaleReadException;
import io.rowlock.leader.LeaderElection;
import io.rowlock.leader.LeaderElections;
import io.rowlock.verification.history.Event.Kind;
import io.rowlock.verification.history.Recorder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** All uses of locks, in an application that the starter configures. */
final class RowlockLoad implements Node.Load {
    private static final List<String> STRATEGIES = List.of("lease", "row-lock", "unique-key", "redis");
    private static final List<String> WITH_READERS = List.of("lease", "row-lock", "redis");
    private static final List<String> WITH_PERMITS = List.of("lease", "redis");
    private static final int KEYS = 3;
    private static final int PERMITS = 3;
    private static final Duration MINIMUM = Duration.ofMillis(800);
    private static final long LOOK_NANOS = 50_000_000;
    private static final long SECOND = 1_000_000_000;
    private static final long SCATTER = 0x9E3779B97F4A7C15L;

    private final ConfigurableApplicationContext application;
    private final Recorder recorder;
    private final LockClient locks;
    private final Work work;
    private final Increments increments;

    private RowlockLoad(ConfigurableApplicationContext application, Recorder recorder) {
        this.application = application;
        this.recorder = recorder;
        this.locks = application.getBean(LockClient.class);
        this.work = application.getBean(Work.class);
        this.increments = new Increments(application.getBean(JdbcTemplate.class), recorder);
        LeaderElection election = application.getBean(LeaderElections.class).of("judge");
        Thread watch = new Thread(() -> watch(election), "leader");
        watch.setDaemon(true);
        watch.start();
    }

    static RowlockLoad start(Recorder recorder, int number, String database, String redis) {
        return new RowlockLoad(
                new SpringApplicationBuilder(Application.class)
                        .web(WebApplicationType.NONE)
                        .properties(
                                "spring.main.banner-mode=off",
                                "spring.main.register-shutdown-hook=false",
                                "spring.application.name=node-" + number,
                                "spring.datasource.url=" + database,
                                "spring.datasource.hikari.maximum-pool-size=6",
                                "spring.datasource.hikari.connection-timeout=2000",
                                "spring.datasource.hikari.initialization-fail-timeout=60000",
                                "spring.data.redis.url=" + redis,
                                "spring.jpa.open-in-view=false",
                                "spring.jpa.database-platform=org.hibernate.dialect.MySQLDialect",
                                "spring.jpa.properties.hibernate.boot.allow_jdbc_metadata_access=false",
                                "logging.level.root=ERROR",
                                "rowlock.strategy=lease",
                                "rowlock.ttl=" + Node.TTL.toMillis() + "ms",
                                "rowlock.wait-time=" + Node.WAIT.toMillis() + "ms",
                                "rowlock.pool.connection-timeout=1s",
                                "rowlock.pool.query-timeout=1s",
                                "rowlock.redis.command-timeout=1s",
                                "rowlock.cleanup.interval=2s",
                                "rowlock.leader.roles.judge.ttl=2s",
                                "rowlock.leader.roles.judge.interval=300ms")
                        .run(),
                recorder);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = { // of a peer
                "com.baomidou.lock.spring.boot.autoconfigure.LockAutoConfiguration",
                "com.baomidou.lock.spring.boot.autoconfigure.RedissonLockAutoConfiguration"
            })
    @EntityScan(basePackageClasses = Counter.class)
    static class Application {
        @Bean
        Work work() {
            return new Work();
        }
    }

    @Override
    public void step(Random random) throws InterruptedException {
        // Most of the time all threads of all nodes do the same for a second, so that they meet
        Random theme = random.nextInt(3) == 0 ? random : new Random(Recorder.now() / SECOND * SCATTER);
        int dice = theme.nextInt(100);
        if (dice < 35) {
            guarded(one(STRATEGIES, theme), random, false);
        } else if (dice < 43) {
            guarded(one(STRATEGIES, theme), random, true);
        } else if (dice < 50) {
            guarded("transaction", random, false);
        } else if (dice < 65) {
            client(one(STRATEGIES, theme), random);
        } else if (dice < 72) {
            view(one(STRATEGIES, theme), random);
        } else if (dice < 84) {
            readOrWrite(one(WITH_READERS, theme), random);
        } else if (dice < 92) {
            permit(one(WITH_PERMITS, theme), random);
        } else if (dice < 96) {
            any(random);
        } else if (dice < 99) {
            several(random);
        } else {
            job(random);
        }
        Thread.sleep(random.nextInt(10));
    }

    private static String one(List<String> names, Random random) {
        return names.get(random.nextInt(names.size()));
    }

    /** Mostly short; now and then longer than a lease lasts without a renewal. */
    private static long holdMillis(Random random) {
        return random.nextInt(200) == 0 ? random.nextInt((int) Node.TTL.toMillis() * 3 / 2) : random.nextInt(15);
    }

    // ---- transactions

    private void guarded(String strategy, Random random, boolean byJpa) {
        String name = Integer.toString(random.nextInt(KEYS));
        String key = strategy + ":" + name;
        long think = holdMillis(random);
        long operation = recorder.asked(key, "X", -1);
        transaction(
                operation,
                key,
                () -> call(strategy, name, () -> {
                    recorder.add(operation, Kind.GRANTED, key);
                    claim(operation, key);
                    if (byJpa) {
                        incrementByJpa(operation, key, think);
                    } else {
                        increments.increment(operation, key, think);
                    }
                    claim(operation, key);
                }));
    }

    private void call(String strategy, String key, Runnable body) {
        switch (strategy) {
            case "lease" -> work.lease(key, body);
            case "row-lock" -> work.rowLock(key, body);
            case "unique-key" -> work.uniqueKey(key, body);
            case "redis" -> work.redis(key, body);
            case "transaction" -> work.transaction(key, body);
            default -> throw new IllegalArgumentException(strategy);
        }
    }

    private void incrementByJpa(long operation, String key, long think) {
        long read = work.incrementByJpa(key, value -> {
            recorder.add(operation, Kind.READ, key, "", value);
            Increments.sleep(think);
        });
        increments.wrote(operation, key, read + 1);
    }

    /** The lock lasts until then at least, as far as this thread can see. */
    private void claim(long operation, String key) {
        long now = Recorder.now();
        if (locks.isHeldByCurrentThread(key)) {
            recorder.add(operation, Kind.HELD, key, "", now);
        }
    }

    private void transaction(long operation, String key, Runnable call) {
        try {
            call.run();
            recorder.add(operation, Kind.COMMITTED, key);
        } catch (LockNotAcquiredException e) {
            recorder.add(operation, Kind.REFUSED, key, "busy", -1);
        } catch (LockLostException | StaleReadException e) {
            recorder.add(operation, Kind.ROLLED_BACK, key);
        } catch (RuntimeException e) {
            failed(operation, key, e);
        }
    }

    private void failed(long operation, String key, RuntimeException e) {
        recorder.add(operation, Kind.REFUSED, key, why(e), -1);
    }

    private static String why(RuntimeException e) {
        return e instanceof LockNotAcquiredException
                ? "busy"
                : e instanceof LockStoreException ? "store" : e.getClass().getSimpleName();
    }

    // ---- the client

    private void client(String strategy, Random random) {
        String key = strategy + ":" + random.nextInt(KEYS);
        boolean withTransaction = random.nextInt(3) == 0;
        long hold = holdMillis(random);
        acquire(LockRequest.exclusive(key).withStrategy(strategy), "X", (operation, lock) -> {
            if (withTransaction) {
                transaction(operation, key, () -> work.unguarded(() -> increments.increment(operation, key, hold)));
            } else {
                hold(operation, lock, hold);
            }
        });
    }

    private interface Holding {
        void use(long operation, HeldLock lock);
    }

    private void acquire(LockRequest request, String mode, Holding holding) {
        String key = request.keys().get(0);
        long operation = recorder.asked(key, mode, Node.WAIT.toNanos());
        HeldLock lock;
        try {
            lock = locks.acquire(request);
        } catch (RuntimeException e) {
            failed(operation, key, e);
            return;
        }
        use(operation, lock, holding);
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
    }

    private void claim(long operation, HeldLock part) {
        long now = Recorder.now();
        long remaining = part.remaining().toNanos();
        if (remaining > 0) {
            recorder.add(operation, Kind.HELD, part.key(), "", now + remaining);
        }
    }

    private void hold(long operation, HeldLock lock, long millis) {
        long end = Recorder.now() + millis * 1_000_000;
        for (long left = end - Recorder.now(); left > 0; left = end - Recorder.now()) {
            Increments.sleep(Math.max(1, Math.min(left, LOOK_NANOS) / 1_000_000));
            lock.parts().forEach(part -> claim(operation, part));
        }
    }

    private void readOrWrite(String strategy, Random random) {
        String key = "rw-" + strategy + ":0";
        boolean writes = random.nextInt(3) == 0;
        long hold = 10 + holdMillis(random);
        LockRequest request = writes ? LockRequest.exclusive(key) : LockRequest.shared(key);
        acquire(request.withStrategy(strategy), writes ? "X" : "S", (operation, lock) -> hold(operation, lock, hold));
    }

    private void permit(String strategy, Random random) {
        String key = "permit-" + strategy + ":0";
        long hold = 10 + holdMillis(random);
        acquire(
                LockRequest.permit(key, PERMITS).withStrategy(strategy),
                "P" + PERMITS,
                (operation, lock) -> hold(operation, lock, hold));
    }

    private void any(Random random) {
        List<LockRequest> requests =
                List.of(LockRequest.exclusive("any-lease:0"), LockRequest.exclusive("any-lease:1"));
        long asked = Recorder.now();
        long operation = recorder.asked("any-lease", "none", -1);
        long hold = holdMillis(random);
        try {
            Optional<HeldLock> lock = locks.tryAcquireAny(requests);
            lock.ifPresent(one -> {
                recorder.add(asked, operation, Kind.ASKED, one.key(), "X", -1);
                use(operation, one, (number, held) -> hold(number, held, hold));
            });
        } catch (RuntimeException e) {
            failed(operation, "any-lease", e);
        }
    }

    private void several(Random random) {
        String strategy = one(STRATEGIES, random);
        List<String> keys = List.of(strategy + ":0", strategy + ":1");
        long hold = holdMillis(random);
        long operation = recorder.asked(keys.get(0), "X", -1);
        recorder.add(operation, Kind.ASKED, keys.get(1), "X", -1);
        try {
            use(
                    operation,
                    locks.acquire(LockRequest.exclusive(keys).withStrategy(strategy)),
                    (number, held) -> hold(number, held, hold));
        } catch (RuntimeException e) {
            keys.forEach(key -> failed(operation, key, e));
        }
    }

    private void job(Random random) {
        String key = "job-lease:0";
        long operation = recorder.asked(key, "X", 0);
        try {
            locks.tryAcquire(LockRequest.exclusive(key).withHoldAtLeast(MINIMUM))
                    .ifPresentOrElse(
                            lock -> {
                                recorder.add(operation, Kind.MINIMUM, key, "", MINIMUM.toNanos());
                                use(operation, lock, (number, held) -> hold(number, held, random.nextInt(10)));
                            },
                            () -> recorder.add(operation, Kind.REFUSED, key, "busy", -1));
        } catch (RuntimeException e) {
            failed(operation, key, e);
        }
    }

    private void view(String strategy, Random random) throws InterruptedException {
        String key = strategy + ":" + random.nextInt(KEYS);
        Lock lock = locks.lock(LockRequest.exclusive(key).withStrategy(strategy));
        long operation = recorder.asked(key, "X", Node.WAIT.toNanos());
        try {
            if (!lock.tryLock(Node.WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
                recorder.add(operation, Kind.REFUSED, key, "busy", -1);
                return;
            }
        } catch (RuntimeException e) {
            failed(operation, key, e);
            return;
        }
        recorder.add(operation, Kind.GRANTED, key);
        claim(operation, key);
        Increments.sleep(holdMillis(random));
        claim(operation, key);
        recorder.add(operation, Kind.ENDED, key);
        try {
            lock.unlock();
        } catch (RuntimeException e) {
            // lost, which the claim shows
        }
    }

    // ---- leaders

    private void watch(LeaderElection election) {
        long since = -1;
        long seen = -1;
        long term = -1;
        while (true) {
            long asked = Recorder.now();
            boolean leads = election.isLeader();
            long answered = Recorder.now();
            long now = leads ? election.term() : -1;
            if (since >= 0 && (!leads || now != term || answered - since > 200_000_000)) {
                recorder.add(seen, 0, Kind.LED, "judge", Long.toString(since), term);
                since = leads && now == term ? seen : -1;
            }
            if (leads) {
                since = since < 0 ? answered : since;
                seen = Math.max(asked, since);
                term = now;
            }
            Increments.sleep(5);
        }
    }

    @Override
    public void close() {
        application.close();
    }
}
