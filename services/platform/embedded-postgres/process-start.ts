import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';

const UNKNOWN = 'unknown';

/**
 * When the process began, in the system's own notation without blanks: together with the pid it names one process, also
 * after the pid was used again. 'unknown' where the system does not tell; undefined if there is no such process, or only
 * its zombie, for which kill(pid, 0) still answers "alive".
 */
export function processStart(pid: number): string | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  const [state, start] = processState(pid);
  if (state && start) return /^[ZX]/.test(state) ? undefined : start;
  return answersSignals(pid) ? UNKNOWN : undefined;
}

/** Names this process in a file name, for all time: `<pid>_<start>`. */
export function ownTag(): string {
  return `${process.pid}_${processStart(process.pid)}`;
}

/** Whether the process of that tag still lives; an unknown start counts as the same one. */
export function isAlive(tag: string): boolean {
  const [pid, start] = tag.split('_');
  const now = processStart(Number(pid));
  return now !== undefined && (now === start || now === UNKNOWN || start === UNKNOWN);
}

/** Whether `pid` is a PostgreSQL server at work in `directory`, and not a stranger that got the pid of a dead one. */
export function servesDirectory(pid: number, directory: string): boolean {
  if (processStart(pid) === undefined) return false;
  const command = processCommand(pid);
  if (command !== undefined && !command.startsWith('postgres')) return false;
  try {
    const there = statSync(directory);
    if (statSync(`/proc/${pid}`).uid !== there.uid) return false;
    // By inode and not by name: a directory that was moved under a running server is still the server's.
    const here = statSync(`/proc/${pid}/cwd`);
    return here.ino === there.ino && here.dev === there.dev;
  } catch {
    // It ended just now, or there is no /proc. Taking a stranger for our server costs an error, the contrary costs data.
    return processStart(pid) !== undefined;
  }
}

/** What kill(pid, 0) believes: also of a zombie, and of whoever has the pid now. */
export function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function processState(pid: number): [state?: string, start?: string] {
  if (process.platform !== 'linux') {
    const [state, ...start] = ps(pid, 'state=', 'lstart=')?.split(/[\s:]+/) ?? [];
    return [state, start.join('-')];
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name stands in brackets and may hold blanks and brackets. After it: state (field 3) ... start (22).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [fields[0], fields[19]];
  } catch {
    return [];
  }
}

function processCommand(pid: number): string | undefined {
  if (process.platform !== 'linux') return ps(pid, 'comm=')?.split('/').at(-1);
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return undefined;
  }
}

function ps(pid: number, ...columns: string[]): string | undefined {
  try {
    const args = [...columns.flatMap((column) => ['-o', column]), '-p', String(pid)];
    return execFileSync('ps', args, { encoding: 'utf8', env: { LC_ALL: 'C', PATH: '/bin:/usr/bin' } }).trim();
  } catch {
    return undefined;
  }
}
