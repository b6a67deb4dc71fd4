import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PgBouncer, startPgBouncer } from '../../stack/pgbouncer';
import { createPrimary, describeServer, type PostgresServer, USER, waitForStandby } from './postgres-server';

/**
 * How the primary is lost: its machine goes dark; or hangs, and holds its connections; or goes dark with COMMITs that are on its own
 * disk alone, and wait.
 */
export const LOSSES = ['killed', 'frozen', 'killed while commits waited'] as const;
export type Loss = (typeof LOSSES)[number];

/** Instants of performance.now(). */
export interface Failover {
  loss: Loss;
  lost: number;
  noticed: number;
  /** PgBouncer points to the new primary within milliseconds of it. */
  promoted: number;
}

/** A primary, its synchronous standby, and PgBouncer before whichever is the primary. */
export interface Pair {
  /** Through PgBouncer. */
  url: string;
  /** Past it. */
  primary(): PostgresServer;
  standby(): PostgresServer;
  /** @param noticeMs until somebody acts */
  failOver(loss: Loss, noticeMs?: number): Promise<Failover>;
  /** The one that was lost comes back as the synchronous standby of the other. */
  rebuildStandby(): Promise<void>;
  stop(): Promise<void>;
}

/** A watcher that looks twice a second and believes the third failure. */
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
    // The one line that is changed when the primary is another.
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
 * As an operator does it. A RELOAD is for what waits in PgBouncer and for what comes: it ends each connection to the old primary when that
 * is given back. What hangs on one stays there until its client gives up.
 */
function pointPoolerTo(ini: string, pooler: PgBouncer, from: PostgresServer, to: PostgresServer): void {
  writeFileSync(ini, readFileSync(ini, 'utf8').replace(serverLine(from), serverLine(to)));
  process.kill(pooler.child.pid, 'SIGHUP');
}
