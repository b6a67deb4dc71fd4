/** One thing that was examined. */
export interface Check {
  name: string;
  /** Broken: a promise of the platform does not hold. Notice: somebody may want to act. */
  status: 'ok' | 'notice' | 'broken';
  detail: string;
  /** What to do, to paste into a shell. */
  commands: string[];
}

export function ok(name: string, detail: string): Check {
  return { name, status: 'ok', detail, commands: [] };
}

export function notice(name: string, detail: string, commands: string[]): Check {
  return { name, status: 'notice', detail, commands };
}

export function broken(name: string, detail: string, commands: string[]): Check {
  return { name, status: 'broken', detail, commands };
}

const NAMED = 10;

/** Of what was found a line that names the first few, with a command for each. */
export function noticeOf<T>(
  name: string,
  found: T[],
  { meaning, label, command }: { meaning: string; label: (one: T) => string; command: (one: T) => string },
): Check {
  if (found.length === 0) return ok(name, 'nothing to note');
  const shown = found.slice(0, NAMED);
  const more = found.length > NAMED ? ` and ${found.length - NAMED} more` : '';
  const detail = `${meaning}: ${shown.map(label).join(', ')}${more}`;
  return notice(name, detail, [...new Set(shown.map(command))]);
}
