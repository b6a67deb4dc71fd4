import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Gauge } from 'prom-client';
import type { Db } from '../database';
import type { Logger } from '../logger';
import { deleteInstance, exchangeVersions, type PollAnswer } from './instance.repository';
import { LEASE_MS } from './lease-term';

const POLL_MS = 500;

/** Says whether what this process remembers of the database may be used without asking it (ADR 19). */
export interface ChangeLease {
  holds(): boolean;
  /** It is not later than this by the database's clock, in milliseconds since the epoch; only while the lease holds. */
  latestDatabaseTime(): number;
  /** Calls `forget` when something has changed, or may have. */
  onChange(forget: () => void): void;
}

/** Nothing is remembered: every request asks the database. */
export const NO_LEASE: ChangeLease = {
  holds: () => false,
  latestDatabaseTime: () => Infinity,
  onChange: () => {},
};

/** What the clocks of this process say, in milliseconds. */
export interface Instant {
  monotonic: number;
  wall: number;
}

const readClocks = (): Instant => ({ monotonic: performance.now(), wall: Date.now() });

export interface RenewableLease extends ChangeLease {
  /** The version that this process obeys; 0 before the first poll. */
  seen(): number;
  /** @param began when the poll that brought the answer was begun */
  renew(answer: PollAnswer, began: Instant): void;
}

/** The lease without its poller. */
export function createRenewableLease(now: () => Instant = readClocks): RenewableLease {
  const listeners: (() => void)[] = [];
  let seen = 0;
  let lease: { began: Instant; databaseTime: number } | undefined;

  // By both clocks: the monotonic one stands still on a machine that sleeps, the wall clock may be set.
  const ageOf = ({ monotonic, wall }: Instant) => {
    const at = now();
    return Math.max(at.monotonic - monotonic, Math.abs(at.wall - wall));
  };
  const holds = () => lease !== undefined && ageOf(lease.began) < LEASE_MS;

  return {
    holds,
    latestDatabaseTime: () => lease!.databaseTime + ageOf(lease!.began),
    onChange: (forget) => void listeners.push(forget),
    seen: () => seen,
    renew({ version, databaseTime }, began) {
      // After a gap this instance may have been taken for dead, and nobody has waited for it: no version vouches for what it
      // remembers.
      if (version !== seen || !holds()) for (const forget of listeners) forget();
      seen = version;
      lease = { began, databaseTime };
    },
  };
}

const held = new Gauge({
  name: 'change_lease_held',
  help: '1 while this instance may use what it remembers; 0: it asks the database for every request.',
});

/**
 * Polls for as long as the process serves. Never rejects: without an answer the lease lapses, and requests ask the database.
 * @param db a pool of its own, of one connection: behind the requests' own statements a poll would come too late
 */
export function startChangeLease(db: Db, log: Logger): ChangeLease & { stop(): Promise<void> } {
  const lease = createRenewableLease();
  const instance = randomUUID();
  const stopping = new AbortController();
  let number = 0;
  let told: boolean | undefined;

  async function poll(): Promise<void> {
    const began = readClocks();
    lease.renew(await exchangeVersions(db, { instance, seen: lease.seen(), number: ++number }), began);
  }

  function tell(holds: boolean, error?: unknown): void {
    held.set(holds ? 1 : 0);
    if (holds === told) return;
    told = holds;
    if (holds) log.info('the lease is held: authorization is remembered');
    else log.warn({ err: error }, 'the lease has lapsed: authorization is asked of the database');
  }

  async function keepPolling(): Promise<void> {
    while (!stopping.signal.aborted) {
      const { monotonic } = readClocks();
      const before = lease.seen();
      const error = await poll().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      tell(lease.holds(), error);
      // Who changed something waits to hear that it was seen, so that is said at once.
      if (lease.seen() !== before) continue;
      const rest = POLL_MS - (readClocks().monotonic - monotonic);
      if (rest > 0) await sleep(rest, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  const polling = keepPolling();
  return {
    ...lease,
    holds: () => !stopping.signal.aborted && lease.holds(),
    async stop() {
      stopping.abort();
      await polling;
      held.set(0);
      await deleteInstance(db, instance).catch(() => {});
    },
  };
}
