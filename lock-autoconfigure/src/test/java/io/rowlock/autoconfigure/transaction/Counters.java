package io.rowlock.autoconfigure.transaction;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.OnLost;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.OnBusy;
import io.rowlock.annotation.ReadLock;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.interceptor.AsyncUncaughtExceptionHandler;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.AsyncConfigurer;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** A service whose locks are part of its transactions. The isolation level is the server's default unless said otherwise. */
public class Counters {
    static final String NAME = "counter";

    private final JdbcTemplate jdbc;
    private final LockClient locks;

    Counters(JdbcTemplate jdbc, LockClient locks) {
        this.jdbc = jdbc;
        this.locks = locks;
    }

    /** Reads without locking, then writes: right only if nothing was read before the lock. */
    @DistributedLock(name = NAME, key = "#key", waitTime = "20s", strategy = "transaction")
    @Transactional
    public void increment(String key) {
        add(key);
    }

    @DistributedLock(name = NAME, key = "#key", waitTime = "20s", strategy = "transaction")
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void incrementApart(String key) {
        add(key);
    }

    @Transactional(isolation = Isolation.READ_COMMITTED)
    public <T> T readCommitted(Callable<T> body) throws Exception {
        return body.call();
    }

    @Transactional(isolation = Isolation.REPEATABLE_READ)
    public <T> T repeatableRead(Callable<T> body) throws Exception {
        return body.call();
    }

    @DistributedLock(name = NAME, key = "#key", waitTime = "0s", strategy = "transaction")
    @Transactional
    public <T> T locked(String key, Callable<T> body) throws Exception {
        return body.call();
    }

    @DistributedLock(name = NAME, key = "#key", waitTime = "0s", strategy = "transaction")
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public <T> T lockedApart(String key, Callable<T> body) throws Exception {
        return body.call();
    }

    @DistributedLock(name = NAME, key = "#key", waitTime = "0s", strategy = "transaction", onBusy = OnBusy.SKIP)
    @Transactional(timeout = 60)
    public @Nullable String lockedOrNull(String key, Callable<String> body) throws Exception {
        return body.call();
    }

    @DistributedLock(name = NAME, key = "#key", waitTime = "0s", strategy = "transaction", fallback = "busy")
    @Transactional
    public String lockedOrBusy(String key, Callable<String> body) throws Exception {
        return body.call();
    }

    String busy(String key, Callable<String> body) {
        return "busy: " + key;
    }

    @ReadLock(name = NAME, key = "#key", waitTime = "0s", strategy = "transaction")
    @Transactional(readOnly = true)
    public <T> T shared(String key, Callable<T> body) throws Exception {
        return body.call();
    }

    @DistributedLock(name = NAME, key = "#keys", waitTime = "0s", strategy = "transaction")
    @Transactional
    public <T> T lockedAll(String[] keys, Callable<T> body) throws Exception {
        return body.call();
    }

    @DistributedLock(name = NAME, key = "#key", waitTime = "20s", strategy = "transaction")
    @Transactional
    public <T> T lockedAfterAWait(String key, Callable<T> body) throws Exception {
        return body.call();
    }

    @ReadLock(name = NAME, key = "#key", waitTime = "20s", strategy = "transaction")
    @Transactional(readOnly = true)
    public <T> T sharedAfterAWait(String key, Callable<T> body) throws Exception {
        return body.call();
    }

    @DistributedLock(name = NAME, key = "#key", waitTime = "0s", strategy = "transaction")
    @Transactional(propagation = Propagation.NESTED)
    public <T> T lockedNested(String key, Callable<T> body) throws Exception {
        return body.call();
    }

    HeldLock lock(LockRequest request) {
        return locks.acquire(request);
    }

    int add(String key) {
        int value = value(key);
        return jdbc.update("UPDATE counter SET value = ? WHERE name = ?", value + 1, key);
    }

    int value(String key) {
        return jdbc.queryForObject("SELECT value FROM counter WHERE name = ?", Integer.class, key);
    }

    static class Background {
        @Async
        @DistributedLock(name = NAME, key = "#key", waitTime = "0s", strategy = "transaction")
        @Transactional
        public void run(String key, Runnable body) {
            body.run();
        }
    }

    /** What methods without a result have thrown on threads of their own. */
    @EnableAsync
    static class Uncaught implements AsyncConfigurer {
        static final BlockingQueue<Throwable> THROWN = new LinkedBlockingQueue<>();

        @Override
        public AsyncUncaughtExceptionHandler getAsyncUncaughtExceptionHandler() {
            return (exception, method, arguments) -> THROWN.add(exception);
        }
    }

    static class WithTtl {
        @DistributedLock(name = NAME, ttl = "30s", strategy = "transaction")
        @Transactional
        public void run() {}
    }

    static class WithMinimum {
        @DistributedLock(name = NAME, holdAtLeast = "30s", strategy = "transaction")
        @Transactional
        public void run() {}
    }

    static class Interrupted {
        @DistributedLock(name = NAME, onLost = OnLost.INTERRUPT, strategy = "transaction")
        @Transactional
        public void run() {}
    }

    static class CompletedLater {
        @DistributedLock(name = NAME, strategy = "transaction")
        @Transactional
        public CompletableFuture<String> run() {
            return new CompletableFuture<>();
        }
    }

    static class WithoutTransaction {
        @DistributedLock(name = NAME, strategy = "transaction")
        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        public void run() {}
    }
}
