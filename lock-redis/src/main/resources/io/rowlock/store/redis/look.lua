-- Changes nothing. Answers O, time, then until, since, token, in use and owner of the exclusive lease, how many wait, and
-- nonce and value of each reader
-- prelude.lua
load(1)
local out = {'O', time, s(u), s(since), s(f), b, o, redis.call('ZCARD', Q)}
local all = redis.call('HGETALL', R)
for i = 1, #all do out[#out + 1] = all[i] end
return out
