import type { Config } from '../../../services/platform/config';
import { type Terminal, withContext } from '../../engine/context';
import { SettingsError } from '../../engine/failure';
import { prepareDemo } from './prepare-demo';
import { type Service, startService } from './service';
import { welcome, welcomeText } from './welcome';

/**
 * Starts everything, prints where it is, and keeps the services running until Ctrl-C.
 * @returns 0 after Ctrl-C
 * @throws ServiceEndedError when a service ends before it was ready
 */
export async function upCommand(terminal: Terminal, { demo = true }: { demo?: boolean }): Promise<number> {
  assertPortsDiffer(terminal.config);
  const services: Service[] = [];
  try {
    // The database stays open until the services have joined it: who leaves an embedded one last stops it.
    const document = await withContext(terminal, 'up-to-date', async (context) => {
      // Wrong secrets stop the start here, with one line, and not in each service.
      await context.secrets('secretsKey', 'cursorKey', 'keyPepper');
      const found = demo && !terminal.config.databaseUrl ? await prepareDemo(context) : undefined;
      for (const name of ['api', 'webhook-queue'] as const) services.push(startService(terminal, name));
      await Promise.all(services.map((service) => service.ready));
      return welcome(terminal.config, found);
    });
    terminal.output.answer(document, () => welcomeText(document, terminal.config));
    await interruption(terminal);
    return 0;
  } finally {
    if (terminal.io.interrupted?.aborted) terminal.output.note('\nStopping …');
    await Promise.all(services.map((service) => service.stop()));
  }
}

function assertPortsDiffer({ apiPort, webhookQueuePort, metricsPort }: Config): void {
  const ports = { API_PORT: apiPort, WEBHOOK_QUEUE_PORT: webhookQueuePort, METRICS_PORT: metricsPort };
  const taken = new Map<number, string>([[metricsPort + 1, 'METRICS_PORT + 1']]);
  for (const [name, port] of Object.entries(ports)) {
    const other = taken.get(port);
    if (other) throw new SettingsError(`${name} must be another port than ${other}, which is ${port} too`);
    taken.set(port, name);
  }
}

function interruption({ io }: Terminal): Promise<void> {
  return new Promise((resolve) => {
    if (io.interrupted?.aborted) return resolve();
    io.interrupted?.addEventListener('abort', () => resolve());
  });
}
