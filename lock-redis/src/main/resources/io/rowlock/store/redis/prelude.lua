-- The functions of the scripts. A script does its usual cases, if it has any, before it makes them: that takes longer than a case.
-- queue.lua
local full -- of the permits that leave no room the one that ends first: when and whose
local dead -- a permit that has expired while it was in use: nonce, and what its successor learns of it
local idle -- nonces of permits that have expired and were not in use
local closed -- whether a writer waits behind permits, which keeps newcomers out
local given -- what the waiter that asks right now has taken over

local function load(i)
  G, R, Q, W = KEYS[4 * i - 3], KEYS[4 * i - 2], KEYS[4 * i - 1], KEYS[4 * i]
  local v = redis.call('HMGET', G, 'f', 'u', 'o', 'n', 's', 'b', 'e', 'w', 'r')
  f, u, o, n = tonumber(v[1] or 0), tonumber(v[2] or 0), v[3] or '', v[4] or ''
  since, b = tonumber(v[5] or 0), v[6] or ''
  e, w, r = tonumber(v[7] or 0), v[8], v[9]
  full, dead, closed, given = nil, nil, nil, ''
end

-- The exclusive lease that has expired while it was in use; not what the newcomer itself was promised and did not hear of in time.
local function former(nonce)
  if u > 0 and u <= now and b == '1' and n ~= nonce then return 'x 0 ' .. s(f) .. ' ' .. s(since) .. ' ' .. s(u) .. ' ' .. o end
  return ''
end

local function reader(v) -- until, since, token, in use, permits, owner
  local ends, began, token, used, permits, owner = string.match(v, '^(%S+) (%S+) (%S+) (%S+) (%S+) (.*)$')
  return tonumber(ends), began, token, used, tonumber(permits), owner
end

local function value(ends, began, token, used, permits, owner) -- what reader() reads
  return s(ends) .. ' ' .. began .. ' ' .. token .. ' ' .. used .. ' ' .. s(permits) .. ' ' .. owner
end

local function forgetDead() -- readers of dead processes, where no writer comes to remove them
  local all = redis.call('HGETALL', R)
  for i = 1, #all, 2 do
    if reader(all[i + 1]) + KEEP * 1000 < now then redis.call('HDEL', R, all[i]) end
  end
end

local function inside() -- 1 if readers are left
  if r == '1' and redis.call('EXISTS', R) == 0 then
    r = nil
    redis.call('HDEL', G, 'r', 'k')
  end
  return r == '1' and 1 or 0
end

-- Lets a reader or permit in. An exclusive lease that has expired ends: its holder finds it gone, also if the clock is set back.
-- The first one inside has a token by the clock, as a writer has: the last writer's may be forgotten, as after a fail-over. Those who
-- come beside it have the same: with a smaller one they would be refused as soon as it has been noted, and with a greater one the first.
-- A writer that acquired the gate meanwhile raised f, and gave up or expired: none is granted before the last reader has left.
-- Returns the token, and what its successor learns of that lease.
local function read(owner, nonce, ttl, permits)
  local x = former(nonce)
  if u > 0 and u <= now then
    u = 0
    redis.call('HSET', G, 'u', '0', 'o', '', 'n', '')
  end
  local alone = u == 0 and (r ~= '1' or redis.call('EXISTS', R) == 0)
  if alone then f = math.max(f, now) end
  local k = not alone and u == 0 and redis.call('HGET', G, 'k') or s(f + ROOM - 1)
  if alone or u > 0 then -- the first write: a full memory refuses it
    r = '1'
    redis.call('HSET', G, 'f', s(f), 'r', r, 'k', k)
  end
  redis.call('HSET', R, nonce, value(now + ttl, time, k, '1', permits, owner))
  if now % 256 == 0 then forgetDead() end
  keep(G, ttl)
  keep(R, ttl)
  return k, x
end

-- Whether fewer permits are held than this number and than each of them allows. Those that have expired do not count. One with the
-- newcomer's nonce is a promise that expired before the waiter knew of it: what the newcomer gets takes its place.
local function room(most, nonce)
  local count = 0
  local all = r == '1' and redis.call('HGETALL', R) or {}
  full, dead, idle = nil, nil, {}
  for i = 1, #all, 2 do
    local ends, began, token, used, permits, who = reader(all[i + 1])
    if permits > 0 and ends > now then
      count, most = count + 1, math.min(most, permits)
      if not full or ends < full[1] then full = {ends, who} end
    elseif permits > 0 and all[i] ~= nonce and used == '0' then
      idle[#idle + 1] = all[i]
    elseif permits > 0 and all[i] ~= nonce then
      dead = {all[i], 'p ' .. all[i] .. ' ' .. token .. ' ' .. began .. ' ' .. s(ends) .. ' ' .. who}
    end
  end
  return count < most
end

-- After room(). Removes one permit that has expired in use, unless an exclusive lease has, so that each is reported by one successor.
-- Not before it writes: a script that has removed something may write although the memory is full.
local function permit(owner, nonce, ttl, permits)
  local token, x = read(owner, nonce, ttl, permits)
  for _, each in ipairs(idle) do redis.call('HDEL', R, each) end
  if dead and x == '' then
    redis.call('HDEL', R, dead[1])
    x = dead[2]
  end
  return token, x
end

-- A full memory refuses only the first write of a script, unless that writes nothing new.
local function evenIfFull() redis.call('HDEL', KEYS[2], '') end

-- Gives a free key to those who wait: to the first if it is a writer, else to all before the next writer, as far as permits
-- are left. The lease lasts for a promise, because the waiter may be dead. The waiter that asks right now gets its answer, the
-- others a message.
local function advance(asking)
  local back = {} -- permits for which there is no room, and the writer behind them
  while u <= now and w == '1' and not closed do
    popped = popped or redis.call('ZPOPMIN', Q)
    local first, arrived = popped[1], popped[2]
    popped = nil
    if not first then
      w = nil
      if #back == 0 then redis.call('HDEL', G, 'w') end
      break
    end
    local alive, mode, permits, promise, channel, owner = waiter(first)
    local live = alive and tonumber(alive) > now
    closed = live and mode == 'x' and #back > 0
    if live and (closed or mode == 'p' and (#back > 0 or not room(tonumber(permits), first))) then
      back[#back + 1], back[#back + 2] = arrived, first
    else
      redis.call('HDEL', W, first)
    end
    if live and back[#back] ~= first then
      local token, readers, x = nil, '0', ''
      if mode == 'x' then
        x = former(first)
        token = grant(owner, first, tonumber(promise), x)
        readers = s(inside())
      elseif mode == 'p' then
        token, x = permit(owner, first, tonumber(promise), tonumber(permits))
      else
        token, x = read(owner, first, tonumber(promise), 0)
      end
      if first ~= asking then
        announce(channel, first, token, readers, x)
      else
        given = x
      end
    end
  end
  if #back > 0 then
    w = '1'
    redis.call('ZADD', Q, unpack(back))
    redis.call('PEXPIRE', Q, math.max(1, redis.call('PTTL', W))) -- it may have been emptied; the waiters are all there
  end
end

local function free() -- ends the exclusive lease
  u = 0
  advance('')
  if u == 0 then redis.call('HDEL', G, 'u', 'o', 'n') end
end

local function leaveReaders(nonce)
  local gone = redis.call('HDEL', R, nonce)
  advance('')
  return gone
end

