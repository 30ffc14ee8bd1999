package io.rowlock.client;

import io.rowlock.store.redis.OnEachRedis;

@OnEachRedis
class RedisShutdownTests extends ShutdownContract {}
