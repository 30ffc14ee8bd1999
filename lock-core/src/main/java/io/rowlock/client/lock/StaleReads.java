package io.rowlock.client.lock;

import io.rowlock.LockMode;
import io.rowlock.Printable;
import io.rowlock.StaleReadException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses to write under a lock what was read before the lock was acquired. A lock protects what its body reads: data from before the
 * grant may be older than the commit of the former holder, and a write made of it loses that holder's update.
 *
 * <p>Whoever keeps data longer than a method, as a JPA persistence context does, notes {@link #held} when it loads something, and asks
 * {@link #write} before it writes that. Permits do not count: their holders do not exclude each other. Thread-safe.
 */
public final class StaleReads {
    private static final Logger log = LoggerFactory.getLogger(StaleReads.class);
    private static final int MOST_WARNINGS = 1_000;

    private final ThreadLocks threadLocks;
    private final Supplier<List<Held>> ofTransaction;
    private final Function<String, Policy> policy;
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    /** The answer to a write of data that was read before the lock. */
    public enum Policy {
        /** The write fails, and with it its transaction. */
        REFUSE,
        /** The write is reported, once for each kind of data or name of a lock. */
        WARN,
        /** The write is made: the body has read what it needs again, for instance with {@code FOR UPDATE}. */
        ALLOW
    }

    /**
     * @param ofTransaction the locks that are part of the calling thread's transaction
     * @param policy by the name of the lock
     */
    public StaleReads(ProcessLocks process, Supplier<List<Held>> ofTransaction, Function<String, Policy> policy) {
        this.threadLocks = process.threadLocks;
        this.ofTransaction = ofTransaction;
        this.policy = policy;
    }

    /**
     * A lock that a thread has now.
     *
     * @param lock the lock itself, the same object as long as the thread has it
     * @param name what settings know it by
     * @param exclusive false if other threads may share it
     * @param kept true if only the transaction still keeps it
     */
    public record Held(Object lock, String key, String name, boolean exclusive, boolean kept) {}

    /** The note of a lock that was only kept by then. */
    private record Kept(Object lock) {}

    /**
     * Returns what to note beside data that the calling thread loads now.
     *
     * @return the locks that the thread has; empty if it has none
     */
    public List<Object> held() {
        return now().stream()
                .map(held -> held.kept() ? new Kept(held.lock()) : held.lock())
                .toList();
    }

    private List<Held> now() {
        Stream<Held> own = threadLocks.ofCaller().stream()
                .filter(lock -> !lock.id().permit())
                .map(lock -> new Held(
                        lock,
                        lock.id().key(),
                        lock.request.staticName(),
                        lock.mode() == LockMode.EXCLUSIVE,
                        !lock.isEntered()));
        return Stream.concat(own, ofTransaction.get().stream()).toList();
    }

    /**
     * Checks a write of the calling thread.
     *
     * @param heldWhenRead what {@link #held} returned when the data was loaded
     * @param kind the kind of data, which is warned of once
     * @param data the data, as a message names it
     * @throws StaleReadException if the thread has acquired a lock since, and had none when it loaded the data that still protects them. One that
     *     was only kept by then does not, nor does a shared one beside an exclusive one: other threads that share it may have written
     *     the data under the exclusive one
     */
    public void write(List<Object> heldWhenRead, String kind, Supplier<String> data) {
        List<Held> now = now();
        boolean excludes = now.stream().anyMatch(Held::exclusive);
        boolean isNoneNew = now.stream()
                .allMatch(held -> heldWhenRead.contains(held.lock()) || heldWhenRead.contains(new Kept(held.lock())));
        if (isNoneNew
                || now.stream()
                        .anyMatch(held -> heldWhenRead.contains(held.lock()) && (held.exclusive() || !excludes))) {
            return;
        }
        // The strictest policy that applies
        Policy strictest = now.stream()
                .map(held -> policy(held.name()))
                .min(Policy::compareTo)
                .orElse(Policy.ALLOW);
        report(
                strictest,
                kind,
                "",
                () ->
                        ("%s was loaded before its thread acquired %s, so the write may undo the commit of a former holder."
                                        + " Load it in the guarded method and not before (set spring.jpa.open-in-view=false), call EntityManager.refresh"
                                        + " under the lock, which locking its row does not replace, give it a @Version attribute, or set"
                                        + " rowlock.locks.<name>.stale-snapshot to allow if its state does not matter")
                                .formatted(Printable.of(data.get()), keys(now)));
    }

    private void report(Policy how, String of, String refusal, Supplier<String> message) {
        if (how == Policy.REFUSE) {
            throw new StaleReadException(refusal + message.get());
        }
        if (how == Policy.WARN && warned.size() < MOST_WARNINGS && warned.add(of)) {
            log.warn("{}. This is reported once for {}", message.get(), of);
        }
    }

    /**
     * Reports a transaction that is about to commit, and began to read before it acquired a lock.
     *
     * @param name what settings know the lock by
     * @param key the key of the lock
     * @throws StaleReadException if that refuses the commit
     */
    public void snapshot(String name, String key) {
        report(
                policy(name),
                name,
                "The commit is refused: ",
                () ->
                        ("The transaction began to read before its thread acquired the lock \"%s\". Under REPEATABLE READ it goes on to read"
                                        + " what was committed by then, so its writes may undo the commit of a former holder. Acquire the lock before"
                                        + " the transaction begins (put the annotation on the method that begins it, or give the guarded method a"
                                        + " transaction of its own with REQUIRES_NEW), or use READ_COMMITTED, or, if the body reads FOR UPDATE or"
                                        + " writes nothing of what it has read, set rowlock.locks.<name>.stale-snapshot=allow. Work that the"
                                        + " transaction does under the client's lock in an inner transaction needs the lock outside, too")
                                .formatted(Printable.of(key)));
    }

    /** Returns what becomes of stale reads under a lock of this name. */
    public Policy policy(String name) {
        return policy.apply(name);
    }

    private static String keys(List<Held> locks) {
        return locks.stream()
                .map(held -> "the lock \"" + Printable.of(held.key()) + "\"")
                .distinct()
                .sorted()
                .collect(Collectors.joining(" and "));
    }
}
