-- Takes the first of the keys that is free, or queues for the one there is. The same attempt may come twice: then it gets what it has.
-- ARGV: mode (x or s), owner, ttl, promise, channel, for how long its place in the queue counts (0: none), nonce of each key
-- Answers G, time, which key, token, 1 if readers are inside, expired lease; or B, time, holder, rest of its time, place
local mode, owner, ttl, promise, channel, alive = ARGV[3], ARGV[4], tonumber(ARGV[5]), ARGV[6], ARGV[7], tonumber(ARGV[8])
local nonce

local function mine(i)
  if mode == 'x' then
    if n ~= nonce or u <= now then return nil end
    u = math.max(u, now + ttl)
    redis.call('HSET', G, 'u', s(u))
    keep(G, ttl)
    return {'G', s(now), i, s(f), inside(), redis.call('HGET', G, 'x') or ''}
  end
  local v = redis.call('HGET', R, nonce)
  if not v then return nil end
  local ends, began, token, _, change, who = reader(v)
  if ends <= now then return nil end
  ends = math.max(ends, now + ttl)
  redis.call('HSET', R, nonce, s(ends) .. ' ' .. began .. ' ' .. token .. ' 1 ' .. s(change) .. ' ' .. who)
  keep(G, ttl)
  keep(R, ttl)
  return {'G', s(now), i, token, 0, ''}
end

for i = 1, #KEYS / 4 do
  load(i)
  nonce = ARGV[8 + i]
  local won = mine(i)
  if won then return won end
  if u <= now and w == '1' then
    advance(nonce)
    won = mine(i)
    if won then return won end
  end
  if u <= now then
    if mode == 'x' then
      local x = former()
      take(owner, nonce, ttl, channel, x)
      return {'G', s(now), i, s(f), inside(), x}
    end
    return {'G', s(now), i, read(owner, nonce, ttl), 0, ''}
  end
end
local place = -1
if alive > 0 then
  if w ~= '1' then redis.call('HSET', G, 'w', '1') end
  redis.call('ZADD', Q, 'NX', s(now), nonce)
  redis.call('HSET', W, nonce, s(now + alive) .. ' ' .. mode .. ' ' .. promise .. ' ' .. channel .. ' ' .. owner)
  redis.call('PEXPIRE', Q, 60000)
  redis.call('PEXPIRE', W, 60000)
  place = redis.call('ZRANK', Q, nonce)
end
return {'B', s(now), o, s(u - now), place}
