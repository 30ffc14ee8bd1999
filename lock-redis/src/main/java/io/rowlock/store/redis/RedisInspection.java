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
import io.rowlock.store.inspection.StoreInspection.Holder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/**
 * Shows and ends locks in Redis for an operator. A page looks at every key of the store, on every master, because Redis keeps no order of
 * keys. Thread-safe.
 *
 * @param channel where the process gets messages
 */
record RedisInspection(
        RedisServers<?> servers, RedisScripts scripts, LockKeys keys, String channel, RedisSettings settings)
        implements StoreInspection {
    private static final Comparator<String> BYTES =
            Comparator.comparing((String key) -> key.getBytes(UTF_8), Arrays::compareUnsigned);
    private static final int KEYS_A_SCAN = 1_000;

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
                ScanArgs.Builder.matches(keys.pattern(range.prefix())).limit(KEYS_A_SCAN);
        for (RedisClusterAsyncCommands<String, String> master : masters()) {
            KeyScanCursor<String> cursor = null;
            while (cursor == null || !cursor.isFinished()) {
                ScanCursor last = cursor == null ? ScanCursor.INITIAL : cursor;
                cursor = ask(() -> master.scan(last, matching));
                cursor.getKeys().stream()
                        .map(keys::lockKey)
                        .filter(key -> range.contains(key, Long.MAX_VALUE))
                        .forEach(found::add);
            }
        }
        return found;
    }

    private List<RedisClusterAsyncCommands<String, String>> masters() {
        try {
            return servers.masters();
        } catch (RedisException e) { // of one that has not been connected to yet
            throw RedisFailure.of(e).exception(e);
        }
    }

    private <T> T ask(Supplier<? extends Future<T>> command) {
        return RedisScripts.ask(command, settings.commandTimeout());
    }

    @Override
    public List<LiveLock> holders(String key) {
        return look(key).stream()
                .map(RedisHolder::lock)
                .sorted(Comparator.comparingLong(LiveLock::slot))
                .toList();
    }

    private List<RedisHolder> look(String key) {
        return RedisHolder.of(key, scripts.run(RedisScripts.Call.of(Script.LOOK, key)));
    }

    @Override
    public Optional<Holder> holder(String key, LockMode mode) {
        List<RedisHolder> all = look(key);
        boolean writer = !all.isEmpty() && all.get(0).lock().mode() == LockMode.EXCLUSIVE;
        List<RedisHolder> inTheWay = writer
                ? all.subList(0, 1)
                : switch (mode) {
                    case EXCLUSIVE -> all;
                    case SHARED -> List.of();
                    case PERMIT -> fullSemaphore(all);
                };
        return inTheWay.stream().min(Comparator.comparing(RedisHolder::left)).map(RedisHolder::holder);
    }

    /** The permits, if there are as many as one of them allows. */
    private static List<RedisHolder> fullSemaphore(List<RedisHolder> holders) {
        List<RedisHolder> permits =
                holders.stream().filter(holder -> holder.permits() > 0).toList();
        boolean full = permits.stream().anyMatch(permit -> permit.permits() <= permits.size());
        return full ? permits : List.of();
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
        return RedisReport.of(infos(), servers.kind(), servers.isAlone(), settings.minReplicas());
    }

    /** Returns true if no replica can take the place of the server, without the leases that it has not got yet. */
    boolean isLasting() {
        return servers.isAlone() && RedisReport.replicas(infos()) == 0;
    }

    private List<String> infos() {
        return masters().stream().map(master -> ask(master::info)).toList();
    }

    @Override
    public void requireUsable() {
        probe();
        if (settings.minReplicas() > 0) {
            List<String> infos = infos();
            if (RedisReport.replicas(infos) < settings.minReplicas()) {
                throw new LockStoreException(RedisReport.tooFew(infos, settings.minReplicas()), null);
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
