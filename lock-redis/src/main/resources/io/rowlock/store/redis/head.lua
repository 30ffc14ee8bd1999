-- Put before every script; the functions of prelude.lua, and of queue.lua, come where a script names that file. KEYS in fours: gate (hash),
-- readers (hash), queue (sorted set), waiters (hash), all in one slot.
-- ARGV begins with: how long an idle key is kept in ms, and the time after which the caller does not wait for the answer any more.
-- Times are in microseconds by this server's clock. Every answer begins with a letter and the time.
--
-- Gate:    f token of the last exclusive lease, or when the first reader after it came if that is more · u until when it lasts, 0 if
--          released · o its owner · n its nonce · s since when
--          b 1 if in use, 0 if only kept for its minimum
--          x the expired lease it took over: mode nonce token since until owner · e the gate expires no earlier · w 1 if the queue may not be empty
--          r 1 if readers may be inside · k token of those that come beside them
-- Readers: nonce -> until since token in-use permits owner. A permit is a reader that counts: permits is how many there may
--          be with it, and 0 for a reader
-- Queue:   nonce by time of arrival. Waiters: nonce -> alive-until mode permits promise channel owner
-- Modes:   x exclusive · s shared · p permit
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000000 + tonumber(t[2])
local function s(x) return string.format('%.0f', x) end -- never '..' a number: that rounds a token to 14 digits
local time = s(now)
if now > tonumber(ARGV[2]) then return {'L', time} end
local KEEP = tonumber(ARGV[1])
local ROOM = 128 -- tokens a lease has for itself: its fence, those of its hand-offs, and the last for the readers after it
local G, R, Q, W, f, u, o, n, since, b, e, w, r
local popped -- the first of the queue and the time of its arrival, if a usual case has removed it

local function keep(key, ttl) -- never makes the time shorter
  local ms = math.ceil(ttl / 1000) + KEEP
  if redis.call('PTTL', key) < ms then redis.call('PEXPIRE', key, ms) end
end

-- Grants the gate. Returns the token.
local function grant(owner, nonce, ttl, x)
  f, u, o, n, since, b = math.max(f + ROOM, now), now + ttl, owner, nonce, now, '1'
  local token = s(f)
  redis.call('HSET', G, 'f', token, 'u', s(u), 'o', o, 'n', n, 's', time, 'b', b, 'x', x)
  if e < u + KEEP * 500 then
    e = u + KEEP * 1000
    redis.call('HSET', G, 'e', s(e))
    keep(G, ttl)
  end
  return token
end
