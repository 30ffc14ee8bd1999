package io.rowlock.verification.node;

import io.rowlock.LockLostException;
import io.rowlock.StaleReadException;
import io.rowlock.verification.history.Event.Kind;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;

/** Uses of locks by annotated methods, and of transactions under locks. */
record AnnotatedLoad(Notes notes, Work work, Increments increments) {
    private interface Body {
        void run(long operation, String key, long think);
    }

    void guarded(String strategy, Theme theme, Random random) {
        guarded(strategy, theme.key(random), theme.holdMillis(random), increments::increment);
    }

    void guardedByJpa(String strategy, Theme theme, Random random) {
        guarded(strategy, theme.key(random), theme.holdMillis(random), this::incrementByJpa);
    }

    private void guarded(String strategy, String name, long think, Body body) {
        String key = strategy + ":" + name;
        long operation = notes.asked(key, "X", Node.WAIT);
        transaction(
                operation,
                key,
                () -> call(strategy, name, () -> {
                    notes.recorder().add(operation, Kind.GRANTED, key);
                    notes.claim(operation, key);
                    body.run(operation, key, think);
                    notes.claim(operation, key);
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
            notes.recorder().add(operation, Kind.READ, key, "", value);
            Increments.sleep(think);
        });
        increments.wrote(operation, key, read + 1);
    }

    void transaction(long operation, String key, Runnable call) {
        try {
            call.run();
            notes.recorder().add(operation, Kind.COMMITTED, key);
        } catch (LockLostException e) {
            notes.recorder().add(operation, Kind.ROLLED_BACK, key);
            notes.recorder().add(operation, Kind.LOST, key);
        } catch (StaleReadException e) {
            notes.recorder().add(operation, Kind.ROLLED_BACK, key);
        } catch (RuntimeException e) {
            notes.failed(operation, key, e);
        }
    }

    /** Returns true if a use of a strategy is one of an annotated method this time. */
    static boolean isChosen(String strategy, Random random) {
        return !strategy.equals("row-lock") && random.nextInt(3) == 0;
    }

    void write(String strategy, String key, long millis) {
        annotated(key, "X", millis, strategy.equals("lease") ? work::write : work::writeInRedis);
    }

    void read(String strategy, String key, long millis) {
        annotated(key, "S", millis, strategy.equals("lease") ? work::read : work::readInRedis);
    }

    /** @param mode which tells how many permits there are */
    void permit(String strategy, String key, String mode, long millis) {
        annotated(key, mode, millis, strategy.equals("lease") ? work::permit : work::permitInRedis);
    }

    private void annotated(String key, String mode, long millis, BiConsumer<String, Runnable> method) {
        long operation = notes.asked(key, mode, Node.WAIT);
        annotated(
                operation, key, () -> method.accept(key.substring(key.indexOf(':') + 1), body(operation, key, millis)));
    }

    private Runnable body(long operation, String key, long millis) {
        return () -> {
            notes.recorder().add(operation, Kind.GRANTED, key);
            notes.claim(operation, key);
            Increments.sleep(millis);
            notes.claim(operation, key);
            notes.recorder().add(operation, Kind.ENDED, key);
        };
    }

    private void annotated(long operation, String key, Runnable call) {
        try {
            call.run();
        } catch (LockLostException e) {
            notes.recorder().add(operation, Kind.LOST, key);
        } catch (RuntimeException e) {
            notes.failed(operation, key, e);
        }
    }

    void job(Random random) {
        String key = "job-lease:0";
        long operation = notes.asked(key, "X", Duration.ZERO);
        AtomicBoolean ran = new AtomicBoolean();
        annotated(operation, key, () -> {
            work.job(() -> {
                ran.set(true);
                notes.recorder().add(operation, Kind.MINIMUM, key, "", RowlockLoad.MINIMUM.toNanos());
                body(operation, key, random.nextInt(10)).run();
            });
            if (!ran.get()) {
                notes.busy(operation, key);
            }
        });
    }
}
