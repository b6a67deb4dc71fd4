import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../services/platform/database/database';
import { FORKED } from './receiver';

/** A constant number of worker processes. */
export interface Fleet {
  /** Resolves when all processes work. */
  ready(): Promise<void>;
  /** Sends SIGKILL to a working process, and starts another process. */
  kill(): Promise<void>;
  /**
   * Pauses a working process until other processes have taken over its expired leases, then resumes it.
   * @returns the results that came too late
   */
  freeze(db: Db): Promise<LateResult[]>;
  stop(): Promise<void>;
}

/** A log line for a result that a worker reports after the end of its lease. */
export interface LateResult {
  delivery_id: string;
  attempt: number;
}

interface Member {
  child: ChildProcess;
  working: boolean;
  paused: boolean;
  log: string;
}

const LATE = 'result came too late';
/** A worker process starts in a second; at a load of 18 on two cores it takes more than 15 s. */
const TIMEOUT_MS = 60_000;

export function startFleet(databaseUrl: string, size: number): Fleet {
  const members = new Set<Member>();
  const hire = () => members.add(startMember(databaseUrl));
  for (let i = 0; i < size; i++) hire();

  const pick = () =>
    until('a worker to pick', () => {
      const able = [...members].filter(({ working, paused }) => working && !paused);
      return able[Math.floor(Math.random() * able.length)];
    });
  return {
    ready: async () => {
      await until('all workers', () => [...members].every(({ working }) => working) || undefined);
    },
    kill: async () => {
      const victim = await pick();
      members.delete(victim);
      hire();
      await end(victim);
    },
    freeze: async (db) => {
      const member = await until('a worker with requests in flight', () =>
        pick().then((m) => stopAtWork(db, m)),
      );
      await until('its leases taken by others', async () => !(await holdsLeases(db, member)) || undefined);
      member.child.kill('SIGCONT');
      await until('a late result', () => lateResults(member.log)[0]);
      await sleep(500);
      member.paused = false;
      return lateResults(member.log);
    },
    stop: async () => void (await Promise.all([...members].map(end))),
  };
}

function startMember(databaseUrl: string): Member {
  const child = fork(path.join(__dirname, 'worker-process.ts'), [databaseUrl], FORKED);
  const member: Member = { child, working: false, paused: false, log: '' };
  child.once('message', () => (member.working = true));
  child.stdout!.on('data', (chunk: Buffer) => (member.log += chunk.toString()));
  return member;
}

async function end({ child }: Member): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** Pauses the worker. Resumes it and returns undefined if it holds no leases. */
async function stopAtWork(db: Db, member: Member): Promise<Member | undefined> {
  member.paused = true;
  member.child.kill('SIGSTOP');
  // Waits until the database has written its last statements.
  await sleep(50);
  if (await holdsLeases(db, member)) return member;
  member.child.kill('SIGCONT');
  member.paused = false;
  return undefined;
}

async function holdsLeases(db: Db, { child }: Member): Promise<boolean> {
  const held = await db('webhook_queue').whereLike('worker', `%/${child.pid}/%`).first('delivery_id');
  return held !== undefined;
}

function lateResults(log: string): LateResult[] {
  const lines = log.split('\n').filter((line) => line.includes(LATE) && line.endsWith('}'));
  return lines.map((line) => JSON.parse(line) as LateResult);
}

async function until<T>(what: string, probe: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; await sleep(20)) {
    const found = await probe();
    if (found !== undefined) return found;
  }
  throw new Error(`in ${TIMEOUT_MS / 1000} s never: ${what}`);
}
