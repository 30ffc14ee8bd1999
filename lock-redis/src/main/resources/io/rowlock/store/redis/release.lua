-- Ends a lease and hands its key to those who wait; or has it end after a while, and not be renewed until then. Names the lease, so
-- it may come late and more than once: one that is to end later is not touched again by a call that would keep it.
-- ARGV: for how long to keep it (0: not at all), mode, token, nonce. Answers O, time, 1 if it was there
if ARGV[3] == '0' and ARGV[4] == 'x' then -- the usual cases: no waiter; or a writer is the first, and no reader is inside
  G = KEYS[1]
  local v = redis.call('HMGET', G, 'f', 'u', 'w', 'r', 'e')
  if v[1] == ARGV[5] and v[2] and v[2] ~= '0' and not (v[3] and v[4]) then
    if not v[3] then
      redis.call('HDEL', G, 'u', 'o', 'n')
      return {'O', time, 1}
    end
    Q, W = KEYS[3], KEYS[4]
    popped = redis.call('ZPOPMIN', Q)
    local first = popped[1]
    if not first then
      redis.call('HDEL', G, 'u', 'o', 'n', 'w')
      return {'O', time, 1}
    end
    -- queue.lua
    local alive, mode, _, promise, channel, owner = waiter(first)
    if mode == 'x' and tonumber(alive) > now then
      redis.call('HDEL', W, first)
      f, e = tonumber(v[1]), tonumber(v[5] or 0)
      announce(channel, first, grant(owner, first, tonumber(promise), ''), '0', '')
      return {'O', time, 1}
    end
  end
end
-- prelude.lua
load(1)
local rest = tonumber(ARGV[3])
local done = 0
if rest > 0 then evenIfFull() end
if ARGV[4] == 'x' then
  local present = f == tonumber(ARGV[5])
  if rest == 0 and present and u > 0 then
    done = 1
    free()
  elseif rest == 0 then
    advance('')
  elseif present and u > now then
    done = 1
    if b == '1' then
      redis.call('HSET', G, 'u', s(now + rest), 'b', '0')
      keep(G, rest)
    end
  end
elseif rest == 0 then
  done = leaveReaders(ARGV[6])
else
  local v = redis.call('HGET', R, ARGV[6])
  local ends, began, k, used, permits, who = reader(v or '0 0 0 0 0 ')
  if ends > now then
    done = 1
    if used == '1' then
      redis.call('HSET', R, ARGV[6], value(now + rest, began, k, '0', permits, who))
      keep(G, rest)
      keep(R, rest)
    end
  end
end
return {'O', time, done}
