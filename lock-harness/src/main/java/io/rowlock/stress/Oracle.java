package io.rowlock.stress;

import io.rowlock.LockMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Judges what holders believe. All nodes live in one JVM, so one monotonic clock tells whether two of them believed to
 * hold the same key at the same time. Thread-safe.
 */
public final class Oracle {
    static final String WRITERS = "grants judged, exclusive";
    static final String READERS = "grants judged, shared";
    static final String PERMITS = "grants judged, permit";

    private final Map<String, Key> keys = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> counts = new ConcurrentSkipListMap<>();
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();

    /**
     * A grant has arrived.
     *
     * @param deadline until when the holder believes in it by its own clock
     * @return the claim, or null if it arrived too late to be believed
     */
    public @Nullable Claim enter(String key, LockMode mode, long token, String owner, long deadline) {
        return enter(key, mode, 0, token, owner, deadline);
    }

    /**
     * A grant has arrived.
     *
     * @param permits how many permits there may be, if it is one
     * @param deadline until when the holder believes in it by its own clock
     * @return the claim, or null if it arrived too late to be believed
     */
    public @Nullable Claim enter(String key, LockMode mode, int permits, long token, String owner, long deadline) {
        Key state = keys.computeIfAbsent(key, Key::new);
        synchronized (state) {
            if (deadline - System.nanoTime() <= 0) {
                count("grants too late to count");
                return null;
            }
            Claim claim = new Claim(state, mode, permits, token, owner, deadline);
            state.judgeToken(claim);
            state.judgeExclusion(claim);
            state.claims.add(claim);
            count(
                    switch (mode) {
                        case EXCLUSIVE -> WRITERS;
                        case SHARED -> READERS;
                        case PERMIT -> PERMITS;
                    });
            return claim;
        }
    }

    void count(String what) {
        count(what, 1);
    }

    void count(String what, long howMany) {
        counts.computeIfAbsent(what, key -> new LongAdder()).add(howMany);
    }

    long counted(String what) {
        return counts.getOrDefault(what, new LongAdder()).sum();
    }

    public void violation(String kind, String details) {
        count("VIOLATION: " + kind);
        violations.add(kind + ": " + details);
    }

    public List<String> violations() {
        return List.copyOf(violations);
    }

    Map<String, LongAdder> counts() {
        return counts;
    }

    /** What is claimed of one key. Its monitor guards it and its claims. */
    private final class Key {
        private final String name;
        private final List<Claim> claims = new ArrayList<>();
        private long highestToken;
        private long lastWriter;

        Key(String name) {
            this.name = name;
        }

        /** A reader shows its last writer's token or a greater one; a writer exceeds all, also those of its own process. */
        void judgeToken(Claim claim) {
            boolean writes = claim.mode == LockMode.EXCLUSIVE;
            boolean grows = writes ? claim.token > highestToken : claim.token >= lastWriter;
            if (!grows) {
                violation("token did not grow", claim + " after " + highestToken + ", last writer " + lastWriter);
            }
            highestToken = Math.max(highestToken, claim.token);
            lastWriter = writes ? claim.token : lastWriter;
        }

        void judgeExclusion(Claim claim) {
            long now = System.nanoTime();
            claims.removeIf(other -> other.deadline - now <= 0);
            for (Claim other : claims) {
                boolean compatible = other.mode != LockMode.EXCLUSIVE && claim.mode != LockMode.EXCLUSIVE;
                if (other != claim && !compatible) {
                    violation("overlap", claim + " beside " + other);
                }
            }
            if (claim.mode == LockMode.PERMIT) {
                judgePermits(claim);
            }
        }

        /** No holder is ever one of more than it allows, since none comes in that would make it so. */
        void judgePermits(Claim claim) {
            List<Claim> permits = new ArrayList<>(claims);
            permits.removeIf(other -> other == claim || other.mode != LockMode.PERMIT);
            permits.add(claim);
            int most = permits.stream().mapToInt(each -> each.permits).min().orElseThrow();
            if (permits.size() > most) {
                violation("too many permits", claim + " among " + permits);
            }
        }
    }

    /** One holder's belief. It ends with its deadline unless that is moved before, and never comes back. */
    public static final class Claim {
        private final Key key;
        private final LockMode mode;
        private final int permits;
        private final long token;
        private final String owner;
        private long deadline;
        private boolean left;

        private Claim(Key key, LockMode mode, int permits, long token, String owner, long deadline) {
            this.key = key;
            this.mode = mode;
            this.permits = permits;
            this.token = token;
            this.owner = owner;
            this.deadline = deadline;
        }

        boolean isHeld() {
            synchronized (key) {
                return !left && deadline - System.nanoTime() > 0;
            }
        }

        /** A renewal has been answered. It counts only if that was in time. */
        boolean renew(long newDeadline) {
            synchronized (key) {
                if (!isHeld()) {
                    return false;
                }
                deadline = Math.max(deadline, newDeadline);
                return true;
            }
        }

        /** The holder says again that it holds, until then: judged again, because the time before may have run out. */
        public void confirm(long newDeadline) {
            synchronized (key) {
                long now = System.nanoTime();
                if (left || newDeadline - now <= 0) {
                    return;
                }
                deadline = newDeadline;
                key.judgeExclusion(this);
                if (!key.claims.contains(this)) {
                    key.claims.add(this);
                }
            }
        }

        /** The holder says that it does not hold at the moment, but may {@link #confirm} that it does later. */
        public void doubt() {
            synchronized (key) {
                deadline = System.nanoTime();
                key.claims.remove(this);
            }
        }

        /** To be called before the release is sent. */
        public void leave() {
            synchronized (key) {
                left = true;
                key.claims.remove(this);
            }
        }

        @Override
        public String toString() {
            return "%s %s %s token %d, %d us left"
                    .formatted(key.name, mode, owner, token, (deadline - System.nanoTime()) / 1_000);
        }
    }
}
