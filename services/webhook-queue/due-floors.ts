import type { Claim } from './claim.repository';

/** Commits that were under way when their neighbours were claimed come in below them. */
const LATE_COMMIT_MS = 1000;

/**
 * Where the work of each endpoint begins. The index keeps entries of finished deliveries until vacuum takes them, and with a
 * snapshot held open it takes none: each claim would walk them all, and throughput falls with every delivery made. Forgotten
 * every so often, for what lies below all the same: a later commit, or the delivery of a lost worker.
 */
export interface DueFloors {
  of(endpointId: string): Date | null;
  raise(claims: Claim[]): void;
  endpoints(): Iterable<string>;
}

export function createDueFloors(forgetMs: number): DueFloors {
  let floors = new Map<string, Date>();
  let forgottenAt = performance.now();
  return {
    of: (endpointId) => floors.get(endpointId) ?? null,
    endpoints: () => floors.keys(),
    raise(claims) {
      if (performance.now() - forgottenAt > forgetMs)
        [floors, forgottenAt] = [new Map<string, Date>(), performance.now()];
      const oldest = new Map<string, number>();
      for (const { endpointId, dueAt } of claims)
        oldest.set(endpointId, Math.min(dueAt.getTime(), oldest.get(endpointId) ?? Infinity));
      for (const [endpointId, at] of oldest) floors.set(endpointId, new Date(at - LATE_COMMIT_MS));
    },
  };
}
