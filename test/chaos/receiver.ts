import { fork, type ForkOptions } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Origins, Secrets, Seen } from './receiver-process';

/** Options of the forks in this folder. The caller reads their stdout. */
export const FORKED: ForkOptions = {
  execArgv: ['--import', 'tsx'],
  stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
};

export interface Receiver {
  origins: Origins;
  trust(secrets: Secrets): void;
  seen(): Promise<Seen[]>;
  stop(): void;
}

export async function startReceiver(): Promise<Receiver> {
  const child = fork(path.join(__dirname, 'receiver-process.ts'), FORKED);
  const [origins] = (await once(child, 'message')) as [Origins];
  return {
    origins,
    trust: (secrets) => void child.send(secrets),
    seen: async () => {
      const told = once(child, 'message');
      child.send('tell');
      const [seen] = (await told) as [Seen[]];
      return seen;
    },
    stop: () => child.disconnect(),
  };
}
