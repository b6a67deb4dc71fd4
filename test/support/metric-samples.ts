/** One line of a scrape. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Parses the samples of a scrape. */
export function readSamples(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const found = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (!found) return [];
    const [, name, labels = '', value] = found;
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [
      label!,
      text!,
    ]);
    return [{ name: name!, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

/** Returns the names of all time series in a scrape, also of metrics without samples. */
export function readNames(text: string): Set<string> {
  const names = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name, type]) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => `${name}${part}`) : [name!],
  );
  return new Set(names);
}
