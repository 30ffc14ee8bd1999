-- Removes readers that have expired, and says whether any is left.
-- ARGV: token. Answers O, time, 1 if none is left, then nonce, since, until, token, permits and owner of each removed one that
-- was in use
-- prelude.lua
load(1)
if f ~= tonumber(ARGV[3]) or u <= now then return {'O', time, 0} end -- its renewal says so
local out = {'O', time, 1}
local all = redis.call('HGETALL', R)
for i = 1, #all, 2 do
  local ends, began, k, used, permits, who = reader(all[i + 1])
  if ends <= now then
    redis.call('HDEL', R, all[i])
    if used == '1' then
      for _, x in ipairs({all[i], began, s(ends), k, s(permits), who}) do out[#out + 1] = x end
    end
  else
    out[3] = 0
  end
end
return out
