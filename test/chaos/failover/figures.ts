import type { Clients, Try } from './clients';
import type { Failover } from './pair';

export const say = (line: string) => process.stdout.write(`${line}\n`);
export const since = (instant: number) => Math.round(performance.now() - instant);
const list = (values: number[]) => (values.length > 0 ? values.join(', ') : 'never');

/** Prints how long no sale succeeded during a failover, and the parts of this time, in milliseconds. */
export function printFailover(
  { loss, lost, noticed, promoted }: Failover,
  sales: { last: number; served: number },
  readiness: { notReady: number[]; ready: number[] },
): void {
  const ms = (from: number, to: number) => Math.round(to - from);
  say(
    `${loss}: gap ${ms(sales.last, sales.served)} ms (noticed after ${ms(lost, noticed)}, promoted in ${ms(noticed, promoted)}, ` +
      `first sale ${ms(promoted, sales.served)} later); ` +
      `/readyz: first "no" after ${list(readiness.notReady)}, "yes" ${list(readiness.ready)} after promotion`,
  );
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
