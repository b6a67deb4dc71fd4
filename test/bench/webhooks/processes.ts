import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Consumed } from './consumer-process';
import type { ContenderName, JobKind } from './contender';
import type { Arrivals, Expectation } from './sink-process';

/** PROFILE=<directory>: there go the V8 profiles of all consumers, and the statements of ours are printed. */
export const { PROFILE } = process.env;

export interface Sink {
  url: string;
  /** Resolves when as many requests under the prefix were answered since the call. */
  expect(expectation: Expectation): Promise<Arrivals>;
  stop(): void;
}

export async function startSink(): Promise<Sink> {
  const child = forkModule('sink-process', []);
  const { port } = await nextMessage<{ port: number }>(child);
  return {
    url: `http://127.0.0.1:${port}`,
    expect: (expectation) => {
      child.send(expectation);
      return nextMessage<Arrivals>(child);
    },
    stop: () => child.disconnect(),
  };
}

export interface ConsumerProcess {
  /** Resolves once it has stopped: by itself after its jobs, or told to. */
  stopped: Promise<Consumed>;
  stop(): Promise<Consumed>;
}

/** @param jobs after which it stops by itself, if they are no-ops */
export function startConsumer(
  name: ContenderName,
  url: string,
  kind: JobKind,
  jobs = Infinity,
): ConsumerProcess {
  const child = forkModule('consumer-process', [name, url, kind, String(jobs)], PROFILE);
  const stopped = nextMessage<Consumed>(child);
  return {
    stopped,
    stop: () => {
      child.send('stop');
      return stopped;
    },
  };
}

function forkModule(module: string, parameters: string[], profile?: string): ChildProcess {
  const profiling = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [];
  const file = path.join(__dirname, `${module}.ts`);
  return fork(file, parameters, { execArgv: ['--import', 'tsx', ...profiling] });
}

async function nextMessage<T>(child: ChildProcess): Promise<T> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const gone = once(child, 'exit', { signal }).then(() =>
    Promise.reject(new Error('a process of the bench ended early')),
  );
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal }), gone])) as [T];
    return message;
  } finally {
    waiting.abort();
  }
}
