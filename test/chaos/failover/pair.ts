import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PgBouncer, startPgBouncer } from '../../stack/pgbouncer';
import { createPrimary, describeServer, type PostgresServer, USER, waitForStandby } from './postgres-server';

/**
 * The failures of the primary: its machine loses power, hangs with open connections, or loses power while COMMITs are only on its own
 * disk.
 */
export const LOSSES = ['killed', 'frozen', 'killed while commits waited'] as const;
export type Loss = (typeof LOSSES)[number];

/** Instants of performance.now(). */
export interface Failover {
  loss: Loss;
  lost: number;
  noticed: number;
  /** The standby accepts writes. PgBouncer points to it within milliseconds. */
  promoted: number;
}

/** A primary, its synchronous standby, and PgBouncer in front of the current primary. */
export interface Pair {
  /** URL through PgBouncer. */
  url: string;
  /** URL without PgBouncer. */
  primary(): PostgresServer;
  standby(): PostgresServer;
  /** @param noticeMs delay until the failure is noticed */
  failOver(loss: Loss, noticeMs?: number): Promise<Failover>;
  /** Starts the failed server as the synchronous standby of the current primary. */
  rebuildStandby(): Promise<void>;
  stop(): Promise<void>;
}

/** Delay of a watcher that checks twice a second and acts on the third failure. */
const NOTICE_MS = 1500;
const STALL_MS = 300;

export async function startPair(dir: string, ports: [number, number, number]): Promise<Pair> {
  let [primary, standby] = [describeServer(dir, 'a', ports[0]), describeServer(dir, 'b', ports[1])];
  const poolerDir = path.join(dir, 'pgbouncer');
  let pooler: PgBouncer | undefined;
  const stop = async () => {
    await pooler?.child.stop();
    await Promise.all([primary.stop(), standby.stop()]);
  };
  const rebuildStandby = async () => {
    await standby.rebuildFrom(primary);
    await waitForStandby(primary, standby);
  };
  try {
    await createPrimary(primary, dir);
    await rebuildStandby();
    // The line that a failover changes.
    const database = ['[databases]', serverLine(primary)];
    pooler = await startPgBouncer(poolerDir, ports[2], primary.url, database);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: pooler.url(primary.url),
    primary: () => primary,
    standby: () => standby,
    rebuildStandby,
    stop,
    async failOver(loss, noticeMs = NOTICE_MS) {
      const old = primary;
      if (loss === 'killed while commits waited') {
        old.holdBackWal();
        await sleep(STALL_MS);
      }
      const lost = performance.now();
      if (loss === 'frozen') old.freeze();
      else old.crash();
      await sleep(noticeMs);
      const noticed = performance.now();
      await standby.promote();
      const promoted = performance.now();
      pointPoolerTo(path.join(poolerDir, 'pgbouncer.ini'), pooler, old, standby);
      [primary, standby] = [standby, old];
      return { loss, lost, noticed, promoted };
    },
  };
}

function serverLine({ port }: PostgresServer): string {
  return `${USER} = host=127.0.0.1 port=${port}`;
}

/**
 * Points PgBouncer to the new primary as an operator does. After a RELOAD, waiting and new requests use the new primary. PgBouncer
 * closes a connection to the old primary when a client returns the connection. A request on a connection that hangs ends only at its
 * client's timeout.
 */
function pointPoolerTo(ini: string, pooler: PgBouncer, from: PostgresServer, to: PostgresServer): void {
  writeFileSync(ini, readFileSync(ini, 'utf8').replace(serverLine(from), serverLine(to)));
  process.kill(pooler.child.pid, 'SIGHUP');
}
