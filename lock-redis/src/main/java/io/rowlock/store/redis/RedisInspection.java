package io.rowlock.store.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.store.inspection.KeyRange;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.inspection.StoreInspection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/**
 * Shows and ends locks in Redis for an operator. A page looks at every key of the store, on every master, because Redis keeps no order of
 * keys. Thread-safe.
 *
 * @param channel where the process gets messages
 */
record RedisInspection(RedisScripts scripts, String channel) implements StoreInspection {
    private static final Comparator<String> BYTES =
            Comparator.comparing((String key) -> key.getBytes(UTF_8), Arrays::compareUnsigned);
    private static final int KEYS_A_SCAN = 1_000;

    /** The place in an answer of {@link Script#LOOK} of the first reader, and how many fields each has. */
    private static final int FIRST_READER = 8;

    private static final int FIELDS = 6;

    @Override
    public List<LiveLock> page(KeyRange range, int limit) {
        List<LiveLock> found = new ArrayList<>();
        for (String key : keysOf(range)) {
            holders(key).stream()
                    .filter(lock -> range.contains(key, lock.slot()))
                    .forEach(found::add);
            if (found.size() >= limit) {
                return found.subList(0, limit);
            }
        }
        return found;
    }

    /** The lock keys that may be in a range, in order. */
    private NavigableSet<String> keysOf(KeyRange range) {
        NavigableSet<String> found = new TreeSet<>(BYTES);
        ScanArgs matching =
                ScanArgs.Builder.matches(scripts.keys.pattern(range.prefix())).limit(KEYS_A_SCAN);
        for (RedisClusterAsyncCommands<String, String> master : masters()) {
            KeyScanCursor<String> cursor = null;
            while (cursor == null || !cursor.isFinished()) {
                ScanCursor last = cursor == null ? ScanCursor.INITIAL : cursor;
                cursor = ask(() -> master.scan(last, matching));
                cursor.getKeys().stream()
                        .map(scripts.keys::lockKey)
                        .filter(key -> range.contains(key, Long.MAX_VALUE))
                        .forEach(found::add);
            }
        }
        return found;
    }

    private List<RedisClusterAsyncCommands<String, String>> masters() {
        try {
            return scripts.servers.masters();
        } catch (RedisException e) { // of one that has not been connected to yet
            throw RedisFailure.of(e).exception(e);
        }
    }

    private <T> T ask(Supplier<? extends Future<T>> command) {
        return RedisScripts.ask(command, scripts.settings.commandTimeout());
    }

    /** The writer, then the readers. */
    @Override
    public List<LiveLock> holders(String key) {
        Answer look = scripts.run(RedisScripts.Call.of(Script.LOOK, key));
        List<LiveLock> holders = new ArrayList<>();
        String[] writer = {look.text(2), look.text(3), look.text(4), look.text(5), "0", look.text(6)};
        add(holders, key, LockMode.EXCLUSIVE, 0, writer, look.time());
        for (int i = FIRST_READER; i + 1 < look.size(); i += 2) {
            String[] reader = look.text(i + 1).split(" ", FIELDS);
            add(holders, key, mode(Long.parseLong(reader[4])), look.number(i), reader, look.time());
        }
        holders.sort(Comparator.comparingLong(LiveLock::slot));
        return holders;
    }

    /** @param value until, since, token, in use, permits, owner */
    private static void add(List<LiveLock> holders, String key, LockMode mode, long slot, String[] value, long now) {
        Duration left = RedisAttempts.ofMicros(Long.parseLong(value[0]) - now);
        if (left.compareTo(Duration.ZERO) > 0) {
            Instant since =
                    value[3].equals("1") ? Instant.EPOCH.plus(Long.parseLong(value[1]), ChronoUnit.MICROS) : null;
            int permits = Integer.parseInt(value[4]);
            holders.add(new LiveLock(key, mode, slot, value[5], Long.parseLong(value[2]), since, left, permits));
        }
    }

    /** The kind of a reader, by its number of permits. */
    static LockMode mode(long permits) {
        return permits > 0 ? LockMode.PERMIT : LockMode.SHARED;
    }

    @Override
    public boolean end(LiveLock lock) {
        return scripts.run(RedisScripts.Call.of(
                        Script.RELEASE,
                        lock.key(),
                        0,
                        RedisAttempts.mode(lock.mode()),
                        lock.fence() == null ? 0 : lock.fence(),
                        lock.slot()))
                .isTrue(2);
    }

    /** Returns what the first server says of itself. */
    RedisReport report() {
        return RedisReport.of(
                infos(), scripts.servers.kind(), scripts.servers.isAlone(), scripts.settings.minReplicas());
    }

    /** Returns true if no replica can take the place of the server, without the leases that it has not got yet. */
    boolean isLasting() {
        return scripts.servers.isAlone() && RedisReport.replicas(infos()) == 0;
    }

    private List<String> infos() {
        return masters().stream().map(master -> ask(master::info)).toList();
    }

    @Override
    public void requireUsable() {
        probe();
        if (scripts.settings.minReplicas() > 0) {
            List<String> infos = infos();
            if (RedisReport.replicas(infos) < scripts.settings.minReplicas()) {
                throw new LockStoreException(RedisReport.tooFew(infos, scripts.settings.minReplicas()), null);
            }
        }
    }

    private void probe() {
        Answer unused = scripts.run(RedisScripts.Call.of(Script.PROBE, channel, channel));
    }

    @Override
    public void requireRights() {
        probe();
        for (RedisClusterAsyncCommands<String, String> master : masters()) {
            KeyScanCursor<String> unused = ask(() -> master.scan(ScanArgs.Builder.limit(1)));
        }
    }
}
