import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';

interface Process {
  /** The time of the start in the system's own notation, without blanks. */
  start: string;
  command?: string;
}

const UNKNOWN = 'unknown';

/**
 * Returns when the process began. Together, pid and start name one process, also after the pid is used again.
 * @returns 'unknown' if the system does not report it; undefined if there is no such process, or only its zombie
 */
export function processStart(pid: number): string | undefined {
  return findProcess(pid)?.start;
}

/** Returns a permanent name of this process that is valid in a file name: `<pid>_<start>`. */
export function ownTag(): string {
  return `${process.pid}_${processStart(process.pid)}`;
}

/** Returns true if the process of that tag still runs. An unknown start counts as the same process. */
export function isAlive(tag: string): boolean {
  const [pid, start] = tag.split('_');
  const now = processStart(Number(pid));
  return now !== undefined && (now === start || now === UNKNOWN || start === UNKNOWN);
}

/** Returns true if `pid` is a PostgreSQL server that uses `directory`, not another process with the pid of a dead one. */
export function servesDirectory(pid: number, directory: string): boolean {
  const found = findProcess(pid);
  if (!found) return false;
  if (found.command && !found.command.startsWith('postgres')) return false;
  try {
    const expected = statSync(directory);
    if (statSync(`/proc/${pid}`).uid !== expected.uid) return false;
    // Compares inodes, not names: the server keeps using a directory that was moved.
    const actual = statSync(`/proc/${pid}/cwd`);
    return actual.ino === expected.ino && actual.dev === expected.dev;
  } catch {
    // The process has just ended, or there is no /proc. A wrong `true` causes an error; a wrong `false` could damage data.
    return processStart(pid) !== undefined;
  }
}

/** Returns the result of kill(pid, 0), which is also true for a zombie and for another process that has the pid now. */
export function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function findProcess(pid: number): Process | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  try {
    const [state, start, command] = process.platform === 'linux' ? readStat(pid) : readPs(pid);
    return /^[ZX]/.test(state) ? undefined : { start, command };
  } catch {
    return answersSignals(pid) ? { start: UNKNOWN } : undefined;
  }
}

/** Reads /proc/<pid>/stat. The command is in parentheses and may hold blanks and parentheses. Fields 3 and 22 follow it. */
function readStat(pid: number): [state: string, start: string, command: string] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const end = stat.lastIndexOf(')');
  const fields = stat.slice(end + 2).split(' ');
  return [fields[0]!, fields[19]!, stat.slice(stat.indexOf('(') + 1, end)];
}

/** Reads `ps`, where the start has five words: "Ss Sun Nov 22 02:01:44 2026 /usr/bin/postgres". */
function readPs(pid: number): [state: string, start: string, command: string] {
  const args = ['-o', 'state=', '-o', 'lstart=', '-o', 'comm=', '-p', String(pid)];
  const line = execFileSync('ps', args, { encoding: 'utf8', env: { LC_ALL: 'C', PATH: '/bin:/usr/bin' } });
  const [state = '', ...words] = line.trim().split(/\s+/);
  const command = words.slice(5).join(' ').split('/').at(-1)!;
  return [state, words.slice(0, 5).join('-').replaceAll(':', '-'), command];
}
