import { setTimeout as sleep } from 'node:timers/promises';
import type { TcpProxy } from '../../support/tcp-proxy';
import type { KeptPostgres } from './postgres';
import { between, type Random, shuffle } from './random';

export interface Fault {
  name: string;
  begin(): unknown;
  /** Called after a random time. */
  end(): unknown;
}

interface Targets {
  postgres: KeptPostgres;
  /** Proxy between the services and PostgreSQL. */
  database: TcpProxy;
  /** Proxy between the services and the shared store. */
  store: TcpProxy;
  canFillDisk: boolean;
}

export function listFaults({ postgres, database, store, canFillDisk }: Targets): Fault[] {
  /** Closes all connections. After a delay, this also drops the delayed bytes, so that no later byte overtakes them. */
  const cut = (proxy: TcpProxy) => {
    proxy.refuse();
    proxy.resume();
  };
  const nothing = () => undefined;
  const diskFull = {
    name: 'the disk is full',
    begin: () => postgres.fillDisk(),
    end: () => postgres.freeDisk(),
  };
  return [
    { name: 'PostgreSQL restarts', begin: () => postgres.crash(), end: nothing },
    { name: 'connections are cut', begin: () => cut(database), end: () => cut(database) },
    { name: 'connections are delayed', begin: () => database.delay(150), end: () => cut(database) },
    { name: 'connections hang', begin: () => database.hang(), end: () => database.resume() },
    { name: 'connections are refused', begin: () => database.refuse(), end: () => database.resume() },
    { name: 'the store is down', begin: () => store.refuse(), end: () => store.resume() },
    { name: 'the store hangs', begin: () => store.hang(), end: () => store.resume() },
    { name: 'the store is slow', begin: () => store.delay(250), end: () => cut(store) },
    ...(canFillDisk ? [diskFull] : []),
  ];
}

/**
 * Runs all faults one after another, in a new random order each round, until `isOver`. Runs at least one round.
 * @returns the number of each fault by name
 */
export async function disturb(
  random: Random,
  faults: Fault[],
  isOver: () => boolean,
): Promise<Record<string, number>> {
  const counts = Object.fromEntries(faults.map(({ name }) => [name, 0]));
  do {
    for (const fault of shuffle(random, faults)) {
      await fault.begin();
      await sleep(between(random, 300, 2500));
      await fault.end();
      counts[fault.name]! += 1;
      await sleep(between(random, 500, 2000));
    }
  } while (!isOver());
  return counts;
}
