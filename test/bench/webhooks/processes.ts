import { type ChildProcess, fork } from 'node:child_process';
import { on, once } from 'node:events';
import path from 'node:path';
import type { Consumed, RoundEnded } from './consumer-process';
import type { ContenderName, JobKind } from './contender';
import { LOAD_TYPESCRIPT } from '../../support/service-entry';
import type { Arrivals, Expectation } from './sink-process';

/** PROFILE=<directory> stores V8 profiles of all consumers there and prints the statements of our queue. */
export const { PROFILE } = process.env;

export interface Sink {
  url: string;
  /** Resolves after this number of responses under the prefix since the call. */
  expect(expectation: Expectation): Promise<Arrivals>;
  stop(): void;
}

export async function startSink(): Promise<Sink> {
  const child = forkModule('sink-process', []);
  const { port } = await nextMessage<{ port: number }>(child, 'port');
  return {
    url: `http://127.0.0.1:${port}`,
    expect: (expectation) => {
      child.send(expectation);
      return nextMessage<Arrivals>(child, 'answeredAt');
    },
    stop: () => child.disconnect(),
  };
}

export interface ConsumerProcess {
  /** Resolves when the consumer has stopped, after its jobs or on request. */
  stopped: Promise<Consumed>;
  /** Resolves at the end of the current round. */
  round(): Promise<RoundEnded>;
  stop(): Promise<Consumed>;
}

export interface Load {
  kind: JobKind;
  /** Number of no-op jobs in each round. */
  jobs?: number;
  /** Number of rounds after which the consumer stops. */
  rounds?: number;
}

export function startConsumer(
  name: ContenderName,
  url: string,
  { kind, jobs = Infinity, rounds = 1 }: Load,
): ConsumerProcess {
  const child = forkModule('consumer-process', [name, url, kind, String(jobs), String(rounds)], PROFILE);
  const stopped = nextMessage<Consumed>(child, 'stoppedAt');
  return {
    stopped,
    round: () => nextMessage<RoundEnded>(child, 'roundEndedAt'),
    stop: () => {
      child.send('stop');
      return stopped;
    },
  };
}

function forkModule(module: string, parameters: string[], profile?: string): ChildProcess {
  const profiling = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [];
  const file = path.join(__dirname, `${module}.ts`);
  return fork(file, parameters, { execArgv: [...LOAD_TYPESCRIPT, ...profiling] });
}

/** Waits for the next message with the key, because a process sends several kinds. */
async function nextMessage<T extends object>(child: ChildProcess, key: keyof T & string): Promise<T> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const gone = once(child, 'exit', { signal }).then(() =>
    Promise.reject(new Error('a process of the bench ended early')),
  );
  const told = (async () => {
    for await (const [message] of on(child, 'message', { signal }))
      if (key in (message as object)) return message as T;
    throw new Error('unreachable');
  })();
  try {
    return await Promise.race([told, gone]);
  } finally {
    waiting.abort();
  }
}
