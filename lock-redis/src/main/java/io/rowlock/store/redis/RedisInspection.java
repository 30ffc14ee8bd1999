package io.rowlock.store.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.rowlock.LockMode;
import io.rowlock.store.inspection.KeyRange;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.inspection.StoreInspection;
import io.rowlock.store.inspection.StoreInspection.Holder;
import io.rowlock.store.inspection.StoreInspection.LivePage;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Shows and ends locks in Redis for an operator. A page looks at every key of the store, on every master, because Redis keeps no order of
 * keys. Thread-safe.
 */
final class RedisInspection implements StoreInspection {
    private static final Comparator<String> BYTES =
            Comparator.comparing((String key) -> key.getBytes(UTF_8), Arrays::compareUnsigned);
    private static final int KEYS_A_SCAN = 1_000;
    private static final int READERS = 8;

    private final RedisServers servers;
    private final RedisScripts scripts;
    private final LockKeys keys;
    private final String channel;
    private final RedisSettings settings;

    /** @param channel where the process gets messages */
    RedisInspection(RedisServers servers, RedisScripts scripts, LockKeys keys, String channel, RedisSettings settings) {
        this.servers = servers;
        this.scripts = scripts;
        this.keys = keys;
        this.channel = channel;
        this.settings = settings;
    }

    @Override
    public LivePage page(String prefix, @Nullable String cursor, int limit) {
        KeyRange range = KeyRange.of(prefix, cursor);
        List<LiveLock> found = new ArrayList<>();
        for (String key : keysOf(range)) {
            holders(key).stream()
                    .filter(lock -> range.contains(key, lock.slot()))
                    .forEach(found::add);
            if (found.size() > limit) {
                break;
            }
        }
        return KeyRange.page(found, limit);
    }

    /** The lock keys that may be in a range, in order. */
    private NavigableSet<String> keysOf(KeyRange range) {
        NavigableSet<String> found = new TreeSet<>(BYTES);
        ScanArgs matching =
                ScanArgs.Builder.matches(keys.pattern(range.prefix())).limit(KEYS_A_SCAN);
        for (RedisClusterAsyncCommands<String, String> master : servers.masters()) {
            KeyScanCursor<String> cursor = null;
            while (cursor == null || !cursor.isFinished()) {
                cursor = await(master.scan(cursor == null ? ScanCursor.INITIAL : cursor, matching));
                cursor.getKeys().stream()
                        .map(keys::lockKey)
                        .filter(key -> range.contains(key, Long.MAX_VALUE))
                        .forEach(found::add);
            }
        }
        return found;
    }

    private <T> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(settings.commandTimeout().toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw RedisFailure.NO_ANSWER.exception(e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw RedisFailure.of(cause).exception(cause);
        } catch (TimeoutException | CancellationException | RedisException e) {
            throw RedisFailure.NO_ANSWER.exception(e);
        }
    }

    @Override
    public List<LiveLock> holders(String key) {
        Answer look = look(key);
        return Stream.concat(
                        writer(key, look).stream(),
                        RedisReader.of(key, look, READERS).stream().map(RedisReader::lock))
                .sorted(Comparator.comparingLong(LiveLock::slot))
                .toList();
    }

    private Answer look(String key) {
        return scripts.run(RedisScripts.Call.of(Script.LOOK, key));
    }

    private static Optional<LiveLock> writer(String key, Answer look) {
        if (look.number(2) <= look.time()) {
            return Optional.empty();
        }
        return Optional.of(new LiveLock(
                key,
                LockMode.EXCLUSIVE,
                0,
                look.text(6),
                look.number(4),
                look.text(5).equals("1") ? instant(look.number(3)) : null,
                left(look)));
    }

    private static Duration left(Answer look) {
        return RedisAttempts.ofMicros(look.number(2) - look.time());
    }

    static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    @Override
    public Optional<Holder> holder(String key, LockMode mode) {
        Answer look = look(key);
        Optional<Holder> writer = writer(key, look).map(lock -> new Holder(lock.owner(), left(look)));
        List<RedisReader> readers = RedisReader.of(key, look, READERS);
        return writer.or(() -> switch (mode) {
            case EXCLUSIVE -> firstToEnd(readers.stream());
            case SHARED -> Optional.empty();
            case PERMIT -> fullSemaphore(readers);
        });
    }

    /** The permit that ends first, if there are as many as one of them allows. */
    private static Optional<Holder> fullSemaphore(List<RedisReader> readers) {
        List<RedisReader> permits =
                readers.stream().filter(reader -> reader.permits() > 0).toList();
        boolean full = permits.stream().anyMatch(permit -> permit.permits() <= permits.size());
        return full ? firstToEnd(permits.stream()) : Optional.empty();
    }

    private static Optional<Holder> firstToEnd(Stream<RedisReader> readers) {
        return readers.min(Comparator.comparing(RedisReader::left)).map(RedisReader::holder);
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
        List<String> infos =
                servers.masters().stream().map(master -> await(master.info())).toList();
        return RedisReport.of(infos, servers.kind(), servers.isAlone(), settings.minReplicas());
    }

    @Override
    public void requireUsable() {
        Answer unused = scripts.run(RedisScripts.Call.of(Script.PROBE, channel, channel));
    }

    @Override
    public void requireRights() {
        requireUsable();
        for (RedisClusterAsyncCommands<String, String> master : servers.masters()) {
            KeyScanCursor<String> unused = await(master.scan(ScanArgs.Builder.limit(1)));
        }
    }
}
