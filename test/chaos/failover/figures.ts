import type { Clients, Try } from './clients';

/** An event that was run. Durations in milliseconds. */
export interface Outcome {
  title: string;
  ttl: number;
  /** Instants of performance.now(): the loss, and the promotion of the other member. */
  lost: number;
  promoted?: number;
  /** The longest time between two sales. */
  gap: number;
  /** From the end of the failure until there is a synchronous standby. */
  synchronous: number;
  /** The time in which both members accepted writes. */
  both: number;
  /** The time after which the old primary accepted no more writes. */
  oldWritable?: number;
  /** Tries without a definite answer, by status and code. */
  failed: Record<string, number>;
}

export const say = (line: string) => process.stdout.write(`${line}\n`);
export const since = (instant: number) => Math.round(performance.now() - instant);

/** Returns the longest time between two sales that succeeded, from two seconds before the event on. */
export function longestGap({ acknowledged }: Clients, lost: number): number {
  const sold = acknowledged
    .filter(({ status, at }) => status === 201 && at > lost - 2000)
    .map(({ at }) => at)
    .sort((a, b) => a - b);
  const gaps = sold.slice(1).map((at, index) => at - sold[index]!);
  return Math.max(...gaps);
}

/** Counts the tries after `lost` that were neither accepted nor refused. */
export function countFailed({ tries }: Clients, lost: number): Record<string, number> {
  const failed: Record<string, number> = {};
  for (const { at, status, code } of tries) {
    if (at < lost || status === 201 || status === 409) continue;
    const kind = `${status} ${code}`;
    failed[kind] = (failed[kind] ?? 0) + 1;
  }
  return failed;
}

const seconds = (ms: number | undefined) => (ms === undefined ? '-' : `${(ms / 1000).toFixed(1)} s`);

/** Prints the table of docs/failover.md. */
export function printOutcomes(outcomes: Outcome[]): void {
  say(
    '| event | ttl | gap | new primary after | old one stops after | both accept | standby again after | failed |',
  );
  say(
    '| ----- | --- | --- | ----------------- | ------------------- | ----------- | ------------------- | ------ |',
  );
  for (const { title, ttl, lost, promoted, gap, synchronous, both, oldWritable, failed } of outcomes) {
    const tries = Object.entries(failed).map(([kind, count]) => `${count}x ${kind}`);
    const times = [gap, promoted && promoted - lost, oldWritable].map(seconds);
    say(
      `| ${title} | ${ttl} s | ${times.join(' | ')} | ${both} ms | ${seconds(synchronous)} | ${tries.join(', ')} |`,
    );
  }
}

export function printTries({ acknowledged, tries }: Clients): void {
  const sold = acknowledged.filter(({ status }) => status === 201);
  const replayed = sold.filter((answer) => answer.replayed).length;
  say(
    `${sold.length} holds and bookings, ${replayed} of them by a replay; ${acknowledged.length - sold.length} refused`,
  );
  const kinds = new Map<string, Try[]>();
  for (const one of tries) {
    const kind = `${one.status} ${one.code}`.trim();
    kinds.set(kind, [...(kinds.get(kind) ?? []), one]);
  }
  for (const [kind, some] of [...kinds].sort()) {
    const times = some.map(({ ms }) => ms).sort((a, b) => a - b);
    const at = (share: number) => Math.round(times[Math.floor((times.length - 1) * share)]!);
    say(`  ${kind}: ${some.length}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`);
  }
}
