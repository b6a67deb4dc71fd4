import path from 'node:path';
import {
  countContents,
  type InstallationContents,
} from '../../../services/api/health/installation.repository';
import type { Config } from '../../../services/platform/config/config';
import { flag, type VerbBody } from '../../engine/command';
import type { AuditedContext, OpeningTerminal } from '../../engine/context';
import { SettingsError } from '../../engine/failure';
import { untilInterrupted } from '../../terminal/io';
import { countOf } from '../../terminal/text';
import { type Demo, type DemoDeparture, prepareDemo } from '../seed';
import { type Service, startService } from './service';

export const upVerb: VerbBody = {
  flags: [flag('--no-demo', 'leave the demo catalog and tenant out')],
  examples: ['up', 'up --no-demo'],
  needs: 'database-on-demand',
  audits: true,
  run: upCommand,
};

/**
 * Starts all services, prints their addresses, and keeps them running until Ctrl-C.
 * @returns 0 after Ctrl-C
 * @throws ServiceEndedError when a service ends before it is ready
 */
async function upCommand(
  terminal: OpeningTerminal<AuditedContext>,
  { demo = true }: { demo?: boolean },
): Promise<number> {
  assertPortsDiffer(terminal.config);
  const services: Service[] = [];
  try {
    // Keeps the database open until the services use it, because the last process that leaves an embedded server stops the server.
    const document = await terminal.withDatabase({ creates: true }, async (context) => {
      // Checks the secrets here, so that a wrong secret ends the start with one error line, not with one line for each service.
      await context.secrets('secretsKey', 'cursorKey', 'keyPepper');
      const found = demo && !terminal.config.databaseUrl ? await prepareDemo(context) : undefined;
      for (const name of ['api', 'webhook-queue'] as const) services.push(startService(terminal, name));
      await Promise.all(services.map((service) => service.ready));
      return welcome(terminal.config, await countContents(context.db), found);
    });
    await terminal.output.answer(document, () => welcomeText(document, terminal.config));
    await untilInterrupted(terminal.io);
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
    if (other) throw new SettingsError(`${name} and ${other} are both ${port}: set another port`);
    taken.set(port, name);
  }
}

/** Returns the answer of `up`: addresses, what the database has, and demo requests that can be pasted. */
function welcome(config: Config, contents: InstallationContents, demo: Demo | undefined): Welcome {
  const at = (port: number) => `http://${reachable(config.host)}:${port}`;
  const api = at(config.apiPort);
  return {
    api,
    webhook_queue: at(config.webhookQueuePort),
    metrics: `${at(config.metricsPort)}/metrics`,
    webhook_queue_metrics: `${at(config.metricsPort + 1)}/metrics`,
    docs: `${api}/docs`,
    contents,
    api_key: demo?.apiKey ?? null,
    embed_url: demo?.widgetToken ? `${api}/embed/tours?token=${demo.widgetToken}` : null,
    examples: demo?.apiKey ? examples(api, demo.apiKey, demo.departure) : [],
  };
}

function examples(api: string, key: string, departure: DemoDeparture | undefined): string[] {
  const curl = `curl -sS -H 'Authorization: Bearer ${key}'`;
  const read = `${curl} '${api}/api/tenant/catalog?limit=3'`;
  return departure ? [read, ...saleExamples(api, curl, departure)] : [read];
}

function saleExamples(api: string, curl: string, { tour, date, time }: DemoDeparture): string[] {
  const json = (body: object) => `-H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  const departure =
    time === undefined ? { departure_date: date } : { departure_date: date, departure_time: time };
  const hold = { ...departure, quantity: 2, external_ref: 'my-first-cart' };
  const booking = {
    tour_id: tour,
    ...departure,
    adults: 2,
    name: 'Ana Lima',
    phone: '+49 30 901820',
    email: 'ana@example.com',
    external_ref: 'my-first-cart',
  };
  return [
    `${curl} ${json(hold)} '${api}/api/gateway/tours/${tour}/hold'`,
    `${curl} ${json(booking)} '${api}/api/tenant/bookings'`,
  ];
}

interface Welcome {
  api: string;
  webhook_queue: string;
  metrics: string;
  webhook_queue_metrics: string;
  docs: string;
  contents: InstallationContents;
  api_key: string | null;
  embed_url: string | null;
  examples: string[];
}

/** Formats the welcome for a person. */
function welcomeText(welcome: Welcome, config: Config): string {
  const lines = [
    `API            ${welcome.api}  (docs: ${welcome.docs})`,
    `Webhook queue  ${welcome.webhook_queue}`,
    `Metrics        ${welcome.metrics}, ${welcome.webhook_queue_metrics}`,
    `Logs           ${path.join(config.dataDir, 'logs')}`,
  ];
  if (welcome.api_key) lines.push(`Demo API key   ${welcome.api_key}`);
  if (welcome.embed_url) lines.push(`Embed page     ${welcome.embed_url}`);
  lines.push('Terminal       tourctl status  (install it once: npm link)');
  if (!welcome.api_key && !welcome.embed_url) lines.push(...describeContents(welcome.contents));
  if (welcome.examples.length > 0) {
    const all = 'Read the catalog, hold two seats, book them:';
    const heading = welcome.examples.length > 1 ? all : 'Read the catalog:';
    lines.push('', heading, '', welcome.examples.join('\n\n'));
  }
  return `${lines.join('\n')}\n\nCtrl-C stops it all.`;
}

/** Names what the database has. Suggests the first tenant only where there is none. */
function describeContents({ tenants, tours, bookings }: InstallationContents): string[] {
  if (tenants === 0) return ['', 'Next: tourctl tenant create --slug acme --name "Acme Travel"'];
  const counted = [countOf(tenants, 'tenant'), countOf(tours, 'tour'), countOf(bookings, 'booking')];
  return [`Database       ${counted.join(', ')}`];
}

/** Returns HOST as it stands in a URL. A wildcard becomes the loopback address. */
export function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
