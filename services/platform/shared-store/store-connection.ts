/** Runs in the store, atomically and in one round trip, on one key: so a Cluster needs no more of it than of any key. */
export interface StoreScript<T> {
  lua: string;
  /** @throws StoreError where the reply is not one of this script's */
  read(reply: unknown): T;
}

/** One driver: how a script gets to a store and its reply back. What the scripts say is the same for all. */
export interface StoreConnection {
  /** Rejects at once where there is no connection; whether it takes too long, the caller judges. */
  run(script: StoreScript<unknown>, key: string, args: string[]): Promise<unknown>;
  /** Lets go of the connection and makes a new one, which may lead to another server than the old one. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

export type StoreDriver = 'redis' | 'rest';

/** The store does not answer, or not as it must. The message holds neither keys nor credentials. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/**
 * Lua for {seconds, microseconds} of the store's clock, which all instances share. Stores that let no script ask for the time
 * (ElastiCache Serverless) are refused by the probe. A test moves it.
 */
export const STORE_CLOCK = `redis.call('TIME')`;

/** Lua that sets `now`, in milliseconds. */
export function readClock(clock: string): string {
  return `local time = ${clock} local now = time[1] * 1000 + math.floor(time[2] / 1000)`;
}

/** Proves that the store evaluates, knows the time, and writes: a replica or a full store answers PING as well. */
export const PROBE: StoreScript<void> = {
  lua: `${readClock(STORE_CLOCK)}
redis.call('SET', KEYS[1], now, 'PX', 1000)
return ARGV[1]`,
  read(reply) {
    if (reply !== 'well') throw wrongReply();
  },
};

/** What a driver met, in one line. */
export function describeFault(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  // Of a host with several addresses, the first one's failure.
  const { message } = ((error as AggregateError).errors?.[0] ?? error) as Error;
  return new StoreError(message.split('\n')[0]!.slice(0, 200));
}

export function wrongReply(): StoreError {
  return new StoreError('The store gave a wrong answer');
}

export function isListOf<T extends unknown[]>(
  reply: unknown,
  ...types: { [K in keyof T]: 'string' | 'number' }
): reply is T {
  return (
    Array.isArray(reply) &&
    reply.length === types.length &&
    types.every((type, index) => typeof reply[index] === type)
  );
}
