/** Returns numbers from 0 up to 1. */
export type Random = () => number;

/** Creates a generator (mulberry32) that gives the same numbers for the same seed. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)]!;

export const between = (random: Random, low: number, high: number) => low + random() * (high - low);

export function shuffle<T>(random: Random, list: readonly T[]): T[] {
  const keyed = list.map((one) => [random(), one] as const);
  return keyed.sort(([a], [b]) => a - b).map(([, one]) => one);
}
