import type { Db } from '../../platform/database';
import type { Claim } from './claim';
import { findFloors } from '../deliveries/queue.repository';

/**
 * Where the work of each endpoint begins. The index keeps entries of finished deliveries until vacuum takes them, and with a
 * snapshot held open it takes none: a claim without floors then walks them all (after three minutes of 9000 a second one claim
 * took 21 s).
 */
export interface DueFloors {
  /** Null where all has to be looked through. */
  of(endpointId: string): Date | null;
  /** Of an endpoint that `endpoints` leaves out. */
  otherwise(): Date | null;
  endpoints(): Iterable<string>;
  /** What was claimed is there no more. */
  raise(claims: Claim[]): void;
  /** Looks anew where the last look is too old; only the first is waited for. */
  refresh(): Promise<void>;
}

/** Commits that were under way when their neighbours were seen come in below them; the next look finds later ones. */
const LATE_COMMIT_MS = 1000;
/** More are not sent along with each claim: then all others are looked through. */
const ENDPOINTS_MAX = 2000;

/** @param freshMs how long a delivery may lie unseen below its floor: that of a slow commit */
export function createDueFloors(db: Db, freshMs: number): DueFloors {
  let floors = new Map<string, Date>();
  let otherwise: Date | null = null;
  let lookedAt = -Infinity;
  let looking: Promise<void> | undefined;

  const look = async (): Promise<void> => {
    const begun = performance.now();
    const { now, oldest } = await findFloors(db, ENDPOINTS_MAX + 1);
    const below = (at: Date) => new Date(Math.min(at.getTime(), now.getTime()) - LATE_COMMIT_MS);
    floors = new Map(oldest.slice(0, ENDPOINTS_MAX).map(({ endpointId, at }) => [endpointId, below(at)]));
    otherwise = oldest.length > ENDPOINTS_MAX ? null : below(now);
    lookedAt = begun;
  };
  return {
    of: (endpointId) => floors.get(endpointId) ?? otherwise,
    otherwise: () => otherwise,
    endpoints: () => floors.keys(),
    raise(claims) {
      const oldest = new Map<string, number>();
      for (const { endpointId, dueAt } of claims)
        oldest.set(endpointId, Math.min(dueAt.getTime(), oldest.get(endpointId) ?? Infinity));
      for (const [endpointId, at] of oldest) floors.set(endpointId, new Date(at - LATE_COMMIT_MS));
    },
    async refresh() {
      if (performance.now() - lookedAt < freshMs) return;
      const first = lookedAt < 0;
      looking ??= look().finally(() => (looking = undefined));
      if (first) await looking;
      // Of a later look that fails the old floors stay: they are lower than need be, never too high.
      else looking.catch(() => undefined);
    },
  };
}
