import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process of the stack in its own group: Ctrl-C reaches only the parent, which stops the children in order. */
export interface Child {
  pid: number;
  /** Its output so far. */
  log(): string;
  isRunning(): boolean;
  /** @returns its exit code; null if a signal ended it */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface Command {
  name: string;
  program: string;
  args: string[];
  /** The complete environment: nothing else is inherited. */
  env?: Record<string, string>;
  cwd?: string;
  uid?: number;
  gid?: number;
  logFile: string;
}

const READY_MS = 30_000;
/** Longer than any child takes to stop; a service takes at most 15 s. */
const STOP_MS = 20_000;
const running = new Set<Child>();

export function startChild(command: Command): Child {
  const { program, args, logFile, name, ...options } = command;
  const out = openSync(logFile, 'a', 0o600);
  const child = spawn(program, args, { ...options, detached: true, stdio: ['ignore', out, out] });
  closeSync(out);
  child.once('error', () => undefined);
  const hasEnded = () => child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  const started: Child = {
    pid: child.pid ?? -1,
    log: () => readFileSync(logFile, 'utf8'),
    isRunning: () => !hasEnded(),
    async stop(signal = 'SIGTERM') {
      if (!hasEnded()) await end(child, signal);
      running.delete(started);
      return child.exitCode;
    },
  };
  if (hasEnded()) throw new Error(`${name} cannot be started: is ${program} installed?`);
  running.add(started);
  return started;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, 'exit');
  const killAll = () => process.kill(-child.pid!, 'SIGKILL');
  // Kills the group, because nginx's workers outlive a killed master.
  if (signal === 'SIGKILL') killAll();
  else child.kill(signal);
  const insist = setTimeout(killAll, STOP_MS);
  await ended;
  clearTimeout(insist);
}

/** Kills all children, for afterAll and for exits that cannot wait. */
export async function killChildren(): Promise<void> {
  await Promise.all([...running].map((child) => child.stop('SIGKILL')));
}

/** Polls until the child is ready. @throws Error with the end of its output, if it ends or takes too long */
export async function untilReady(child: Child, name: string, isReady: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + READY_MS; Date.now() < end; await sleep(50)) {
    if (!child.isRunning()) break;
    if (await isReady().catch(() => false)) return;
  }
  throw new Error(`${name} did not start:\n${child.log().slice(-2000)}`);
}
