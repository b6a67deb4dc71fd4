/** Flags that mean the same everywhere, and may stand before the command too. */
const EVERYWHERE = ['--json', '--yes'];

/** The command line in the one form that commander reads: `help key issue` is `key issue --help`, flags come last. */
export function arrangeCommandLine(argv: readonly string[]): string[] {
  const first = argv.findIndex((word) => !EVERYWHERE.includes(word));
  const leading = argv.slice(0, Math.max(first, 0));
  const [command, ...rest] = argv.slice(leading.length);
  if (command === undefined) return [...argv];
  if (command === 'help') return [...rest, ...leading, '--help'];
  const end = rest.indexOf('--');
  const dashes = end < 0 ? rest.length : end;
  return [command, ...rest.slice(0, dashes), ...leading, ...rest.slice(dashes)];
}

/** What stands after `--` is text, whatever it looks like. */
export function beforeDashes(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  return end < 0 ? [...argv] : argv.slice(0, end);
}
