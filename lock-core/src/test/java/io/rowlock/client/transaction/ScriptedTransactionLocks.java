package io.rowlock.client.transaction;

import io.rowlock.LockMode;
import io.rowlock.store.TransactionLocks;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Locks of transactions without a database: answers with what it was given, then grants. Keeps what it was asked. */
public final class ScriptedTransactionLocks implements TransactionLocks {
    public final List<String> log = new ArrayList<>();
    public boolean reachable = true;
    public boolean readsCommitted = true;
    public boolean connected = true;
    public boolean lostOnServer;
    private final Deque<Outcome> outcomes = new ArrayDeque<>();

    public ScriptedTransactionLocks then(Outcome... next) {
        outcomes.addAll(List.of(next));
        return this;
    }

    @Override
    public boolean isReachable() {
        return reachable;
    }

    @Override
    public boolean readsCommitted() {
        return readsCommitted;
    }

    @Override
    public Transaction current() {
        return new Transaction() {
            @Override
            public boolean isOpen() {
                return connected;
            }

            @Override
            public boolean holds(String key, LockMode mode) {
                return !lostOnServer;
            }
        };
    }

    @Override
    public void create(String key) {
        log.add("create " + key);
    }

    @Override
    public Outcome lock(String key, LockMode mode, Duration patience, Runnable wait) {
        boolean open = TransactionSynchronizationManager.isActualTransactionActive();
        log.add("%s %s%s"
                .formatted(mode == LockMode.SHARED ? "share" : "lock", key, open ? "" : " without transaction"));
        Outcome next = outcomes.poll();
        return next == null ? Outcome.LOCKED : next;
    }
}
