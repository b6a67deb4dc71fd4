import { type ChildProcess, fork } from 'node:child_process';
import { on, once } from 'node:events';
import path from 'node:path';
import type { Consumed } from './consumer-process';
import type { ContenderName } from './contender';
import { LOAD_TYPESCRIPT } from '../../support/service-entry';
import type { Answered, Expectation } from './sink-process';

export interface Sink {
  url: string;
  /** Resolves after this number of responses since the call. */
  expect(count: number): Promise<Answered>;
  stop(): void;
}

export async function startSink(): Promise<Sink> {
  const child = forkModule('sink-process', []);
  const { port } = await nextMessage<{ port: number }>(child, 'port');
  return {
    url: `http://127.0.0.1:${port}`,
    expect: (count) => {
      child.send({ count } satisfies Expectation);
      return nextMessage<Answered>(child, 'firstAt');
    },
    stop: () => child.disconnect(),
  };
}

export function startConsumer(name: ContenderName, url: string): { stop(): Promise<Consumed> } {
  const child = forkModule('consumer-process', [name, url]);
  const stopped = nextMessage<Consumed>(child, 'stoppedAt');
  return {
    stop: () => {
      child.send('stop');
      return stopped;
    },
  };
}

function forkModule(module: string, parameters: string[]): ChildProcess {
  return fork(path.join(__dirname, `${module}.ts`), parameters, { execArgv: LOAD_TYPESCRIPT });
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
