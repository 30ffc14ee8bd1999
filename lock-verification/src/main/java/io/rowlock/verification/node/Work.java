package io.rowlock.verification.node;

import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.DistributedSemaphore;
import io.rowlock.annotation.OncePerCluster;
import io.rowlock.annotation.ReadLock;
import io.rowlock.annotation.WriteLock;
import io.rowlock.leader.LeaderOnly;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import java.util.Objects;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.annotation.Transactional;

/** Guarded methods. The keys are those under which the client asks for the same locks. */
public class Work {
    @PersistenceContext
    private @Nullable EntityManager entities;

    @DistributedLock(name = "lease", key = "#key", strategy = "lease")
    @Transactional
    public void lease(String key, Runnable body) {
        body.run();
    }

    @DistributedLock(name = "row-lock", key = "#key", strategy = "row-lock")
    @Transactional
    public void rowLock(String key, Runnable body) {
        body.run();
    }

    @DistributedLock(name = "unique-key", key = "#key", strategy = "unique-key")
    @Transactional
    public void uniqueKey(String key, Runnable body) {
        body.run();
    }

    @DistributedLock(name = "redis", key = "#key", strategy = "redis")
    @Transactional
    public void redis(String key, Runnable body) {
        body.run();
    }

    @Transactional
    @DistributedLock(name = "transaction", key = "#key", strategy = "transaction")
    public void transaction(String key, Runnable body) {
        body.run();
    }

    @ReadLock(name = "rw-lease", key = "#key", strategy = "lease")
    public void read(String key, Runnable body) {
        body.run();
    }

    @WriteLock(name = "rw-lease", key = "#key", strategy = "lease")
    public void write(String key, Runnable body) {
        body.run();
    }

    @ReadLock(name = "rw-redis", key = "#key", strategy = "redis")
    public void readInRedis(String key, Runnable body) {
        body.run();
    }

    @WriteLock(name = "rw-redis", key = "#key", strategy = "redis")
    public void writeInRedis(String key, Runnable body) {
        body.run();
    }

    @DistributedSemaphore(name = "permit-lease", key = "#key", permits = "3", strategy = "lease")
    public void permit(String key, Runnable body) {
        body.run();
    }

    @DistributedSemaphore(name = "permit-redis", key = "#key", permits = "3", strategy = "redis")
    public void permitInRedis(String key, Runnable body) {
        body.run();
    }

    @OncePerCluster(name = "job-lease:0", holdAtLeast = "800ms", strategy = "lease")
    public void job(Runnable body) {
        body.run();
    }

    @LeaderOnly("judge")
    public void lead(Runnable body) {
        body.run();
    }

    /** For a lock that the client has. */
    @Transactional
    public void unguarded(Runnable body) {
        body.run();
    }

    /** Increments as JPA does, in a transaction. @return the value that was read */
    public long incrementByJpa(String key, LongConsumer afterRead) {
        EntityManager manager = Objects.requireNonNull(entities);
        Counter counter = manager.find(Counter.class, key);
        long read = counter.value;
        afterRead.accept(read);
        counter.value++;
        manager.flush();
        return read;
    }
}
