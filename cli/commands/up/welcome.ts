import path from 'node:path';
import type { DemoCredentials } from '../../../services/api/demo/plant-demo';
import type { Config } from '../../../services/platform/config';
import { reachable } from '../../reachable';
import type { DemoDeparture } from './find-demo-departure';

/** What `up` says when all is ready: addresses, and three requests that work as pasted. */
export function welcome(
  config: Config,
  demo: DemoCredentials | undefined,
  departure: DemoDeparture | undefined,
) {
  const api = `http://${reachable(config.host)}:${config.apiPort}`;
  const queue = `http://${reachable(config.host)}:${config.webhookQueuePort}`;
  return {
    api,
    webhook_queue: queue,
    metrics: `http://${reachable(config.host)}:${config.metricsPort}/metrics`,
    docs: `${api}/docs`,
    api_key: demo?.api_key ?? null,
    embed_url: demo ? `${api}/embed/tours?token=${demo.widget_token}` : null,
    examples: demo && departure ? examples(api, demo.api_key, departure) : [],
  };
}

function examples(api: string, key: string, { tour, date }: DemoDeparture): string[] {
  const curl = `curl -sS -H 'Authorization: Bearer ${key}'`;
  const json = (body: object) => `-H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  const hold = { departure_date: date, quantity: 2, external_ref: 'my-first-cart' };
  const booking = {
    tour_id: tour,
    departure_date: date,
    adults: 2,
    name: 'Ana Lima',
    phone: '+49 30 901820',
    email: 'ana@example.com',
    external_ref: 'my-first-cart',
  };
  return [
    `${curl} '${api}/api/tenant/catalog?limit=3'`,
    `${curl} ${json(hold)} '${api}/api/gateway/tours/${tour}/hold'`,
    `${curl} ${json(booking)} '${api}/api/tenant/bookings'`,
  ];
}

interface Welcome {
  api: string;
  webhook_queue: string;
  metrics: string;
  docs: string;
  api_key: string | null;
  embed_url: string | null;
  examples: string[];
}

/** The same for a person. */
export function welcomeText(welcome: Welcome, config: Config): string {
  const lines = [
    `API            ${welcome.api}  (docs: ${welcome.docs})`,
    `Webhook queue  ${welcome.webhook_queue}`,
    `Metrics        ${welcome.metrics}`,
    `Logs           ${path.join(config.dataDir, 'logs')}`,
  ];
  if (welcome.api_key) lines.push(`Demo API key   ${welcome.api_key}`, `Embed page     ${welcome.embed_url}`);
  else lines.push('', 'Next: tourctl tenant create --slug acme --name "Acme Travel"');
  if (welcome.examples.length > 0) {
    lines.push('', 'Read the catalog, hold two seats, book them:', '', welcome.examples.join('\n\n'));
  }
  return `${lines.join('\n')}\n\nCtrl-C stops it all.`;
}
