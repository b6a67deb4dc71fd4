/** A Lua script that runs atomically on one key, in one round trip. One key works in a Cluster too. */
export interface StoreScript<T> {
  lua: string;
  /** @throws StoreError for an invalid reply */
  read(reply: unknown): T;
}

/** A driver: sends scripts to a store. The scripts are the same for all drivers. */
export interface StoreConnection {
  /** Rejects at once without a connection. The caller sets the timeout. */
  run(script: StoreScript<unknown>, key: string, args: string[]): Promise<unknown>;
  /** Closes the connection and opens a new one, possibly to another server. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

export type StoreDriver = 'redis' | 'rest';

/** The store does not answer, or answers incorrectly. The message holds neither keys nor credentials. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/**
 * Lua for {seconds, microseconds} of the store's clock, which all instances share. The probe refuses stores whose scripts cannot
 * read the time (ElastiCache Serverless). Tests replace it.
 */
export const STORE_CLOCK = `redis.call('TIME')`;

/** Lua that sets `now`, in milliseconds. */
export function luaClock(clock: string): string {
  return `local time = ${clock} local now = time[1] * 1000 + math.floor(time[2] / 1000)`;
}

/** Tests that the store runs scripts, has a clock, and writes. PING works on a replica or a full store too. */
export const PROBE_SCRIPT: StoreScript<void> = {
  lua: `${luaClock(STORE_CLOCK)}
redis.call('SET', KEYS[1], now, 'PX', 1000)
return ARGV[1]`,
  read(reply) {
    if (reply !== 'well') throw wrongReply();
  },
};

/** Converts an error of a driver to one line. */
export function toStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  // A host with several addresses: takes the first error.
  const { message } = ((error as AggregateError).errors?.[0] ?? error) as Error;
  return new StoreError(message.split('\n')[0]!.slice(0, 200));
}

export function wrongReply(): StoreError {
  return new StoreError(
    'The store sent an invalid reply: check that its address is that of a Redis-compatible store',
  );
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
