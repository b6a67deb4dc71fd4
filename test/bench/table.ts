export function median(values: number[]): number {
  return percentile(values, 0.5);
}

/** Computes a quantile: the lowest value that this share of the values does not exceed. */
export function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

/** Formats median [lowest-highest] as whole numbers. */
export function spread(values: number[]): string {
  const [low, middle, high] = [Math.min(...values), median(values), Math.max(...values)].map(Math.round);
  return `${middle} [${low}-${high}]`;
}

export function printTable(title: string, head: string[], rows: (string | number)[][]): void {
  const lines = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const print = (line: string[]) =>
    line
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  process.stdout.write(`\n${title}\n\n${lines.map(print).join('\n')}\n`);
}
