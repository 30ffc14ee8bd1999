-- Runs every command that the other scripts run, on keys that are gone afterwards. ARGV: channel. Answers O, time
-- prelude.lua
load(1)
redis.call('HSET', G, 'f', '1')
redis.call('HGET', G, 'f')
redis.call('HGETALL', G)
redis.call('PTTL', G)
redis.call('PEXPIRE', G, 1000)
redis.call('EXISTS', G)
redis.call('HDEL', G, 'f')
redis.call('ZADD', Q, 'NX', '1', 'probe')
redis.call('ZCARD', Q)
redis.call('ZREM', Q, 'other')
redis.call('ZPOPMIN', Q)
redis.call('PUBLISH', ARGV[3], '')
return {'O', time}
