/** Random choices that one seed repeats. */
export interface Random {
  /** @returns an integer from 0 to `below` - 1 */
  integer(below: number): number;
  chance(share: number): boolean;
  pick<T>(list: readonly T[]): T;
}

/** Creates a generator (mulberry32) from a seed, which is any text. */
export function createRandom(seed: string): Random {
  let state = [...seed].reduce(
    (hash, char) => Math.imul(hash ^ char.charCodeAt(0), 16_777_619),
    2_166_136_261,
  );
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (below: number) => Math.floor(next() * below);
  return { integer, chance: (share) => next() < share, pick: (list) => list[integer(list.length)]! };
}
