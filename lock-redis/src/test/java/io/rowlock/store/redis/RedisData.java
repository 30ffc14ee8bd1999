package io.rowlock.store.redis;

import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.protocol.CommandType;
import io.rowlock.client.LockData;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.inspection.StoreInspection;
import io.rowlock.test.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The keys of Redis as an operator sees and changes them. */
final class RedisData implements LockData, AutoCloseable {
    /** Has what is inside of a key, writer and readers, end in so many microseconds. */
    private static final String END_READERS = "local all = redis.call('HGETALL', KEYS[1]) local t = redis.call('TIME')"
            + " local ends = string.format('%.0f', t[1] * 1000000 + t[2] + ARGV[1])"
            + " for i = 1, #all, 2 do redis.call('HSET', KEYS[1], all[i], (string.gsub(all[i + 1], '^%S+', ends))) end"
            + " return 1";

    private static final String END_WRITER =
            "if tonumber(redis.call('HGET', KEYS[1], 'u') or 0) > 0 then local t = redis.call('TIME') redis.call('HSET', KEYS[1],"
                    + " 'u', string.format('%.0f', t[1] * 1000000 + t[2] + ARGV[1])) end return 1";

    private final TestRedis redis;
    private final StoreInspection inspection;
    private final LockKeys keys;
    private final List<RedisClient> clients = new ArrayList<>();
    private final List<RedisCommands<String, String>> masters = new ArrayList<>();
    private volatile int balance;

    RedisData(TestRedis redis, RedisLockStore store, LockKeys keys, List<RedisServer> servers) {
        this.redis = redis;
        this.inspection = store.inspection().orElseThrow();
        this.keys = keys;
        for (RedisServer server : servers) {
            RedisClient client = RedisClient.create(server.uri());
            StatefulRedisConnection<String, String> connection = client.connect();
            clients.add(client);
            masters.add(connection.sync());
        }
    }

    @Override
    public int live(String key) {
        return inspection.holders(key).size();
    }

    @Override
    public long fence(String key) {
        String fence = redis.commands().hget(keys.gate(key), "f");
        return fence == null ? 0 : Long.parseLong(fence);
    }

    @Override
    public boolean isWaitedFor(String key) {
        return redis.commands().zcard(keys.gate(key) + ":q") > 0;
    }

    @Override
    public long millisLeft(String key) {
        return inspection.holders(key).stream()
                .map(LiveLock::remaining)
                .mapToLong(Duration::toMillis)
                .max()
                .orElse(0);
    }

    @Override
    public void age(String key) {
        end(END_WRITER, keys.gate(key), Duration.ofSeconds(-1));
        shorten(key, Duration.ofSeconds(-1));
    }

    @Override
    public void shorten(String key, Duration left) {
        end(END_READERS, keys.gate(key) + ":r", left);
    }

    private void end(String script, String key, Duration left) {
        redis.commands()
                .eval(script, ScriptOutputType.INTEGER, new String[] {key}, String.valueOf(RedisAttempts.micros(left)));
    }

    @Override
    public void forceRelease(String key) {
        redis.commands().hset(keys.gate(key), Map.of("u", "0", "o", "", "n", ""));
    }

    @Override
    public void hide() {
        scripts(AclSetuserArgs.Builder.removeCommand(CommandType.EVALSHA).removeCommand(CommandType.EVAL));
    }

    @Override
    public void unhide() {
        scripts(AclSetuserArgs.Builder.addCommand(CommandType.EVALSHA).addCommand(CommandType.EVAL));
    }

    private void scripts(AclSetuserArgs change) {
        masters.forEach(master -> master.aclSetuser("default", change));
    }

    @Override
    public void killSessions() {
        masters.forEach(
                master -> master.clientKill(KillArgs.Builder.typeNormal().skipme()));
    }

    @Override
    public int balance() {
        return balance;
    }

    @Override
    public void setBalance(int balance) {
        this.balance = balance;
    }

    @Override
    public void close() {
        clients.forEach(RedisClient::shutdown);
    }
}
