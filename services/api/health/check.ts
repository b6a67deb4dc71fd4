/** The result of one check. */
export interface HealthCheck {
  name: string;
  /** Broken: a guarantee of the platform does not hold. Notice: the operator may need to act. */
  status: 'ok' | 'notice' | 'broken';
  detail: string;
  /** Commands that solve the problem. */
  commands: string[];
}

export function ok(name: string, detail: string): HealthCheck {
  return { name, status: 'ok', detail, commands: [] };
}

export function notice(name: string, detail: string, commands: string[]): HealthCheck {
  return { name, status: 'notice', detail, commands };
}

export function broken(name: string, detail: string, commands: string[]): HealthCheck {
  return { name, status: 'broken', detail, commands };
}

const NAMED = 10;

/** Returns a notice that names the first findings, with a command for each. */
export function noticeOf<T>(
  name: string,
  found: T[],
  { meaning, label, command }: { meaning: string; label: (one: T) => string; command: (one: T) => string },
): HealthCheck {
  if (found.length === 0) return ok(name, 'nothing to note');
  const shown = found.slice(0, NAMED);
  const more = found.length > NAMED ? ` and ${found.length - NAMED} more` : '';
  const detail = `${meaning}: ${shown.map(label).join(', ')}${more}`;
  return notice(name, detail, [...new Set(shown.map(command))]);
}
