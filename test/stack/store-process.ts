/*
 * Proxies a Redis for either driver in its own process, so that it is slow only on request, and not
 * because the load of a test keeps its event loop busy. Forked with the driver and the address of the Redis.
 */
import { startRestStore } from '../support/rest-store';
import { startTcpProxy } from '../support/tcp-proxy';

export type Driver = 'redis' | 'rest';
/** Message of the parent: a method of the proxy and its arguments. */
export type Order = ['hang' | 'refuse' | 'resume'] | ['delay', number] | ['answerWith', string];
/** First message of the child: the settings with which a service reaches the store. */
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
