/*
 * Proxies a Redis in its own process, for either driver. The load of a test then cannot delay the proxy, so the store is slow only
 * on request. Forked with the driver and the address of the Redis.
 */
import { startRestStore } from '../support/rest-store';
import { startTcpProxy } from '../support/tcp-proxy';

export type Driver = 'redis' | 'rest';
/** A message from the parent: the name of a proxy method, and its arguments. */
export type Order = ['hang' | 'refuse' | 'resume'] | ['delay', number] | ['answerWith', string];
/** The first message to the parent: the settings with which a service reaches the store. */
export type Ready = Record<string, string>;

async function main(driver: Driver, redisUrl: string): Promise<void> {
  const rest = driver === 'rest' ? await startRestStore(redisUrl) : undefined;
  const proxy = await startTcpProxy(Number(new URL(rest?.url ?? redisUrl).port));
  process.on('message', ([name, ...args]: Order) => (proxy[name] as (...given: unknown[]) => void)(...args));
  process.on('disconnect', () => process.exit());
  const ready: Ready = rest
    ? { CACHE_REST_URL: `http://127.0.0.1:${proxy.port}`, CACHE_REST_TOKEN: rest.token }
    : { REDIS_URL: `redis://127.0.0.1:${proxy.port}` };
  process.send!(ready);
}

void main(process.argv[2] as Driver, process.argv[3]!);
