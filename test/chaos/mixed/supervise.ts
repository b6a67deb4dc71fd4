import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceCommand, launchService } from '../../stack/service';

/** A service that is started again whenever it ends, as a supervisor does. It keeps its ports. */
export interface Supervised {
  baseUrl: string;
  /** Sends SIGKILL, and waits until it is started again. */
  kill(): Promise<void>;
  /** Counts the starts after the first. */
  restarts(): number;
  isReady(): Promise<boolean>;
  stop(): Promise<void>;
}

/** A supervisor's pause, so that a service that cannot start does not take the whole machine. */
const PAUSE_MS = 50;

export function supervise(command: ServiceCommand): Supervised {
  const baseUrl = `http://127.0.0.1:${command.port}`;
  let child = launchService(command);
  let restarts = 0;
  let stopped = false;
  const keep = async () => {
    for (; !stopped; await sleep(PAUSE_MS)) {
      if (child.isRunning()) continue;
      child = launchService(command);
      restarts += 1;
    }
  };
  const keeping = keep();
  return {
    baseUrl,
    async kill() {
      const victim = child;
      await victim.stop('SIGKILL');
      while (child === victim && !stopped) await sleep(PAUSE_MS);
    },
    restarts: () => restarts,
    isReady: () =>
      fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(5000) }).then(
        ({ ok }) => ok,
        () => false,
      ),
    async stop() {
      stopped = true;
      await keeping;
      await child.stop();
    },
  };
}
