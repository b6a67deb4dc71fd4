import { broken, ok, type Check } from '../../../services/api/health/check';
import type { Config } from '../../../services/platform/config';
import { tryStore } from '../../../services/platform/shared-store';

export async function checkStore({ sharedStore }: Pick<Config, 'sharedStore'>): Promise<Check> {
  if (!sharedStore) return ok('store', 'quotas and cache in memory, for one instance');
  const [variable, command] =
    sharedStore.kind === 'redis'
      ? ['REDIS_URL', 'redis-cli -u "$REDIS_URL" ping']
      : ['CACHE_REST_URL', 'curl -fsS -H "Authorization: Bearer $CACHE_REST_TOKEN" "$CACHE_REST_URL/ping"'];
  try {
    const { roundTripMs } = await tryStore(sharedStore);
    return ok('store', `${variable} answers in ${roundTripMs} ms`);
  } catch (error) {
    return broken('store', `${variable}: ${(error as Error).message}`, [command]);
  }
}
