import type { Db } from '../../../platform/database';
import { type Markup, toHtml } from '../../../platform/html-template';
import type { Logger } from '../../../platform/logger';
import { pulseFragment, stateFragments } from './overview-page';
import type { Range } from '../queries/read-query';

const ROUND_MS = 2000;
/** A longer range moves slower, and costs more to count. */
const PULSE_MS: Readonly<Record<Range, number>> = { '1h': 4000, '24h': 20_000, '7d': 60_000 };

export interface Live {
  /** @returns what ends it */
  add(send: (event: string, data: string) => void, range: Range): () => void;
  stop(): void;
}

interface Client {
  send: (event: string, data: string) => void;
  range: Range;
  /** What it was sent last, by the id of the element. */
  sent: Map<string, string>;
}

/** Each client is sent the parts of the overview that changed: one round of queries for all of them, and none for nobody. */
export function createLive(db: Db, log: Logger, roundMs = ROUND_MS): Live {
  const clients = new Set<Client>();
  const pulses = createPulses(db);
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let failing = false;

  const round = async () => {
    try {
      const state = renderAll(await stateFragments(db));
      for (const range of new Set([...clients].map((client) => client.range))) {
        const fragments = { ...state, pulse: await pulses(range) };
        [...clients].filter((client) => client.range === range).forEach((client) => tell(client, fragments));
      }
      failing = false;
    } catch (error) {
      if (!failing) log.warn({ err: error }, 'the monitoring page cannot be kept up to date');
      failing = true;
    }
    timer = undefined;
    schedule();
  };
  const schedule = () => {
    if (!timer && !stopped && clients.size > 0) timer = setTimeout(() => void round(), roundMs);
  };

  return {
    add(send, range) {
      const client = { send, range, sent: new Map<string, string>() };
      clients.add(client);
      schedule();
      return () => clients.delete(client);
    },
    stop() {
      stopped = true;
      clients.clear();
      clearTimeout(timer);
    },
  };
}

function createPulses(db: Db): (range: Range) => Promise<string> {
  const kept = new Map<Range, { html: string; at: number }>();
  return async (range) => {
    const known = kept.get(range);
    if (known && performance.now() - known.at < PULSE_MS[range]) return known.html;
    const html = toHtml(await pulseFragment(db, range));
    kept.set(range, { html, at: performance.now() });
    return html;
  };
}

function tell({ send, sent }: Client, fragments: Readonly<Record<string, string>>): void {
  for (const [id, html] of Object.entries(fragments)) {
    if (sent.get(id) === html) continue;
    sent.set(id, html);
    send('fragment', JSON.stringify({ id, html }));
  }
}

function renderAll(fragments: Readonly<Record<string, Markup>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fragments).map(([id, markup]) => [id, toHtml(markup)]));
}
