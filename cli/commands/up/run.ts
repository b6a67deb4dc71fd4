import type { Config } from '../../../services/platform/config';
import { type Terminal, withContext } from '../../context';
import { plantDemoFor } from '../../plant-demo-command';
import { SettingsError } from '../../refusals';
import { findDemoDeparture } from './find-demo-departure';
import { type Service, startService } from './service';
import { welcome, welcomeText } from './welcome';

/**
 * Brings everything up, says where it is, and stays until Ctrl-C or until a service ends.
 * @returns 0 after Ctrl-C, 1 when a service could not start or died
 */
export async function upCommand(terminal: Terminal, { demo = true }: { demo?: boolean }): Promise<number> {
  assertPortsDiffer(terminal.config);
  const services: Service[] = [];
  try {
    // The database stays open until the services have joined it: who leaves an embedded one last stops it.
    const document = await withContext(terminal, 'up-to-date', async (context) => {
      const planted = demo && !terminal.config.databaseUrl ? await plantDemoFor(context) : undefined;
      const departure = planted && (await findDemoDeparture(context.db, planted.tenant));
      for (const name of ['api', 'webhook-queue'] as const) services.push(startService(terminal, name));
      await Promise.all(services.map((service) => service.ready));
      return welcome(terminal.config, planted, departure);
    });
    terminal.output.answer(document, () => welcomeText(document, terminal.config));
    await Promise.race([interruption(terminal), ...services.map((service) => service.failed)]);
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
