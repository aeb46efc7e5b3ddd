import { defineScript } from "./valkey.ts";

/** Sets `now`: milliseconds by the store's clock, because the clocks of boxes may differ. */
export const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/**
 * KEYS: id, quota, id that is replaced. ARGV: box, lease ms, member, most of the key or 0, member that is replaced or "".
 * Answers "ok", "id" or "key".
 */
export const CLAIM = defineScript(`${NOW}
local limit = tonumber(ARGV[4])
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] and ARGV[5] ~= ARGV[3] then return 'id' end
if limit > 0 then
  redis.call('ZREM', KEYS[2], ARGV[3], ARGV[5])
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
  if redis.call('ZCARD', KEYS[2]) >= limit then return 'key' end
  redis.call('ZADD', KEYS[2], now + ARGV[2], ARGV[3])
  redis.call('PEXPIRE', KEYS[2], ARGV[2])
end
if ARGV[5] ~= '' then redis.call('DEL', KEYS[3]) end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 'ok'`);

/** KEYS: id and quota of each lease. ARGV: box, lease ms, a member for each or "" without a quota. An id that another box took stays its own. */
export const RENEW = defineScript(`${NOW}
for i = 1, #KEYS, 2 do
  local owner = redis.call('GET', KEYS[i])
  if not owner or owner == ARGV[1] then
    redis.call('SET', KEYS[i], ARGV[1], 'PX', ARGV[2])
    local member = ARGV[2 + (i + 1) / 2]
    if member ~= '' then
      redis.call('ZADD', KEYS[i + 1], now + ARGV[2], member)
      redis.call('PEXPIRE', KEYS[i + 1], ARGV[2])
    end
  end
end`);

/** KEYS: id, quota. ARGV: box, member or "" without a quota. */
export const RELEASE = defineScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return end
redis.call('DEL', KEYS[1])
if ARGV[2] ~= '' then redis.call('ZREM', KEYS[2], ARGV[2]) end`);
