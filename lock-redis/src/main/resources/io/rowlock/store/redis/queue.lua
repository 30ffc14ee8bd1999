local function waiter(nonce) -- alive until, mode, permits, promise, channel, owner; nothing if it has left
  return string.match(redis.call('HGET', W, nonce) or '', '^(%S+) (%S+) (%S+) (%S+) (%S+) (.*)$')
end

local function announce(channel, nonce, token, readers, x) -- the message to the process of a waiter
  redis.call('PUBLISH', channel, nonce .. ' ' .. token .. ' ' .. readers .. ' ' .. time .. ' ' .. x)
end
