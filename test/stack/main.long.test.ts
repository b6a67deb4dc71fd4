import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeWith } from '../support/describe-with';
import { lowPorts } from './low-ports';

const ROOT = path.resolve(__dirname, '../..');
const MS = 60_000;

describeWith('nginx', 'npm run lab -- stack', () => {
  describeWith('pgbouncer', 'with PgBouncer', () => {
    describeWith('redis-server', 'and Redis', suite);
  });
});

function suite(): void {
  let child: ChildProcess;
  afterEach(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }, MS);

  it(
    'the stack prints its addresses and a command that books, and leaves no process or file after Ctrl-C',
    async () => {
      const [port] = (await lowPorts(1)) as [number];
      child = spawn(process.execPath, ['--import', 'tsx', 'test/stack/main.ts', `${port}`], { cwd: ROOT });
      const said = await untilSaid(child, 'Ctrl-C stops');
      const [, curlKey] = /Bearer (svc_live_\w+)/.exec(said)!;
      const [, body] = /-d '([^']+)'/.exec(said)!;
      const response = await fetch(`http://127.0.0.1:${port}/api/tenant/bookings`, {
        method: 'POST',
        headers: { authorization: `Bearer ${curlKey}`, 'content-type': 'application/json' },
        body,
      });
      expect(response.status).toBe(201);

      const [, dir] = /^Logs +(\S+?)\/\*/m.exec(said)!;
      const started = processesOf(child.pid!, dir!);
      expect(started.length).toBeGreaterThanOrEqual(8);

      child.kill('SIGINT');
      expect(await once(child, 'exit')).toEqual([0, null]);
      expect(started.filter(isAlive)).toEqual([]);
      expect(existsSync(dir!)).toBe(false);
    },
    MS,
  );
}

async function untilSaid(child: ChildProcess, words: string): Promise<string> {
  let said = '';
  const listen = (chunk: Buffer) => (said += chunk.toString());
  child.stdout!.on('data', listen);
  child.stderr!.on('data', listen);
  while (!said.includes(words)) {
    if (child.exitCode !== null) throw new Error(`It ended: ${said}`);
    await sleep(50);
  }
  return said;
}

/** Returns the pids of all descendants of `pid`. Adds the database server, which is detached and has `dir` in its arguments. */
function processesOf(pid: number, dir: string): number[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const parents = new Map(all.map((one) => [one, parentOf(one)]));
  const isDescendant = (one: number): boolean => {
    const parent = parents.get(one) ?? 0;
    return parent === pid || (parent > 1 && isDescendant(parent));
  };
  return all.filter((one) => one !== pid && (isDescendant(one) || read(one, 'cmdline').includes(dir)));
}

function parentOf(pid: number): number {
  return Number(/\) \S (\d+)/.exec(read(pid, 'stat'))?.[1] ?? 0);
}

function isAlive(pid: number): boolean {
  return /\) [^Z]/.test(read(pid, 'stat'));
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
