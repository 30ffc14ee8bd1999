-- Acquires a key if it is free, or queues for it. The same attempt may come twice: then it gets what it has.
-- ARGV: mode, owner, ttl, promise, channel, for how long its place in the queue counts (0: none), permits, nonce
-- Answers G, time, token, 1 if readers are inside, expired lease; or B, time, holder, rest of its time
if ARGV[3] == 'x' then -- the usual case: a key that was released, which nobody reads or waits for
  G = KEYS[1]
  local v = redis.call('HMGET', G, 'f', 'u', 'w', 'r', 'e', 'n', 'o')
  if not (v[2] or v[3] or v[4]) then
    f, e = tonumber(v[1] or 0), tonumber(v[5] or 0)
    return {'G', time, grant(ARGV[4], ARGV[10], tonumber(ARGV[5]), ''), 0, ''}
  end
  u, w, n, o = tonumber(v[2] or 0), v[3], v[6], v[7] or ''
end
local mode, owner, ttl, promise, channel, alive = ARGV[3], ARGV[4], tonumber(ARGV[5]), ARGV[6], ARGV[7], tonumber(ARGV[8])
local permits, nonce = tonumber(ARGV[9]), ARGV[10]

local function busy(holder, rest) -- the answer to an attempt, which is in the queue from now on if it is to be
  if alive > 0 then
    if w ~= '1' then redis.call('HSET', G, 'w', '1') end
    redis.call('ZADD', Q, 'NX', time, nonce)
    redis.call('HSET', W, nonce, s(now + alive) .. ' ' .. mode .. ' ' .. s(permits) .. ' ' .. promise .. ' ' .. channel .. ' ' .. owner)
    local ms = math.ceil(alive / 1000) + 1000 -- as long as the place that lasts longest: processes may have different heartbeats
    if redis.call('PTTL', W) < ms then redis.call('PEXPIRE', W, ms) end
    if redis.call('PTTL', Q) < ms then redis.call('PEXPIRE', Q, ms) end
  end
  return {'B', time, holder, s(rest)}
end

if u and u > now and n ~= nonce then -- the other usual case: another writer has it
  Q, W = KEYS[3], KEYS[4]
  return busy(o, u - now)
end
-- prelude.lua

local function mine()
  if mode == 'x' then
    if n ~= nonce or u <= now then return nil end
    if b == '1' then -- else it is only kept for its minimum by now
      u = math.max(u, now + ttl)
      redis.call('HSET', G, 'u', s(u))
      keep(G, ttl)
    end
    return {'G', time, s(f), inside(), redis.call('HGET', G, 'x') or ''}
  end
  local v = redis.call('HGET', R, nonce)
  if not v then return nil end
  local ends, began, token, used, number, who = reader(v)
  if ends <= now then return nil end
  if used == '1' then
    redis.call('HSET', R, nonce, value(math.max(ends, now + ttl), began, token, '1', number, who))
    keep(G, ttl)
    keep(R, ttl)
  end
  return {'G', time, token, 0, given}
end

local function enter() -- a key without a writer
  if mode == 'x' and w ~= '1' then
    local x = former(nonce)
    return {'G', time, grant(owner, nonce, ttl, x), inside(), x}
  end
  if mode == 'p' and w ~= '1' and room(permits, nonce) then
    local token, x = permit(owner, nonce, ttl, permits)
    return {'G', time, token, 0, x}
  end
  if mode == 's' and not closed then
    local token, x = read(owner, nonce, ttl, 0)
    return {'G', time, token, 0, x}
  end
  return nil
end

load(1)
local won = mine()
if won then return won end
if u <= now and w == '1' then
  advance(nonce)
  won = mine()
  if won then return won end
end
if u <= now then
  won = enter()
  if won then return won end
end
if u > now or not full then return busy(u > now and o or '', math.max(u - now, 0)) end
return busy(full[2], full[1] - now)
