import { median } from './table';

/** One line of the table: the ratio of each round, and its target. */
export interface Row {
  what: string;
  /** The system or the state that the product is compared with, and the measure: `pgbench with one client, mean`. */
  beside: string;
  ratios: number[];
  /** Absent: the figure is for information. */
  aim?: { atLeast: number } | { atMost: number };
  /** Medians of the absolute figures. */
  figures: string;
}

const ROUNDS = Number(process.env.ROUNDS ?? 3);

/**
 * Measures all candidates in each round, so that other load of the machine affects all alike.
 * @returns the results of all rounds by name
 */
export async function inTurns<T>(
  measurements: [name: string, measure: () => Promise<T>][],
  rounds = ROUNDS,
): Promise<Map<string, T[]>> {
  const results = new Map<string, T[]>(measurements.map(([name]) => [name, []]));
  for (let round = 1; round <= rounds; round++)
    for (const [name, measure] of measurements) {
      results.get(name)!.push(await measure());
      process.stderr.write(`round ${round} of ${rounds}: ${name}\n`);
    }
  return results;
}

/** Formats a figure: two digits after the point below ten, one below a hundred. */
export function rounded(value: number): string {
  const size = Math.abs(value);
  if (size < 10) return value.toFixed(2);
  return value.toFixed(size < 100 ? 1 : 0);
}

/**
 * Returns the cells of a row: the measure, its comparison, the median with lowest and highest ratio, the target with its result, and
 * the figures.
 */
export function cellsOf({ what, beside, ratios, aim, figures }: Row): string[] {
  const value = median(ratios);
  const range = `${rounded(Math.min(...ratios))}–${rounded(Math.max(...ratios))}`;
  return [what, beside, `${rounded(value)} (${range})`, verdict(value, aim), figures];
}

function verdict(value: number, aim: Row['aim']): string {
  if (!aim) return '';
  if ('atLeast' in aim) return `≥${aim.atLeast} ${value >= aim.atLeast ? 'ok' : 'missed'}`;
  return `≤${aim.atMost} ${value <= aim.atMost ? 'ok' : 'missed'}`;
}

export const COLUMNS = ['what', 'compared with', 'median', 'aim', 'figures'];
