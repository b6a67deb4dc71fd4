import { fork } from 'node:child_process';
import { once } from 'node:events';
import { freePorts } from './free-ports';
import { SERVICE_ENTRY } from './service-entry';

/** The webhook queue in its own process, as in production. */
export interface QueueProcess {
  /** Reads /metrics. */
  metrics(): Promise<string>;
  /** Sends SIGKILL. */
  kill(): void;
}

/** Starts the webhook queue on free ports and waits until it is ready. */
export async function startQueueProcess(
  databaseUrl: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<QueueProcess> {
  const [, port, metricsPort] = await freePorts();
  const child = fork(SERVICE_ENTRY['webhook-queue'], [], {
    silent: true,
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      WEBHOOK_QUEUE_PORT: `${port}`,
      METRICS_PORT: `${metricsPort}`,
      SECRETS_KEY: 's'.repeat(32),
      CURSOR_KEY: 'c'.repeat(32),
      LOG_LEVEL: 'error',
      ...environment,
    },
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The webhook queue ended with ${code} before it was ready`);
  });
  await Promise.race([once(child, 'message'), ended]);
  return {
    // The queue uses the port after METRICS_PORT.
    metrics: () => fetch(`http://127.0.0.1:${metricsPort + 1}/metrics`).then((answer) => answer.text()),
    kill: () => void child.kill('SIGKILL'),
  };
}
