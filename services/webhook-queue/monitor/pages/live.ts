import type { Db } from '../../../platform/database';
import { type Markup, toHtml } from '../../../platform/html-template';
import type { Logger } from '../../../platform/logger';
import { statsFragment, stateFragments } from './overview-page';
import type { Range } from '../queries/read-query';

const ROUND_MS = 2000;
/** Refreshes long ranges less often: they change more slowly and cost more to count. */
const STATS_MS: Readonly<Record<Range, number>> = { '1h': 4000, '24h': 20_000, '7d': 60_000 };

export interface LiveUpdates {
  /** @returns a function that unsubscribes */
  add(send: (event: string, data: string) => void, range: Range): () => void;
  stop(): void;
}

interface Client {
  send: (event: string, data: string) => void;
  range: Range;
  /** The last HTML that was sent, by element id. */
  sent: Map<string, string>;
}

/** Sends each client the changed parts of the overview. Runs one round of queries for all clients, and none without clients. */
export function createLiveUpdates(db: Db, log: Logger, roundMs = ROUND_MS): LiveUpdates {
  const clients = new Set<Client>();
  const stats = createStatsCache(db);
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let failing = false;

  const round = async () => {
    try {
      const state = renderAll(await stateFragments(db));
      for (const range of new Set([...clients].map((client) => client.range))) {
        const fragments = { ...state, statistics: await stats(range) };
        [...clients]
          .filter((client) => client.range === range)
          .forEach((client) => sendChanges(client, fragments));
      }
      failing = false;
    } catch (error) {
      if (!failing) log.warn({ err: error }, 'live updates of the monitoring page failed');
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

function createStatsCache(db: Db): (range: Range) => Promise<string> {
  const kept = new Map<Range, { html: string; at: number }>();
  return async (range) => {
    const known = kept.get(range);
    if (known && performance.now() - known.at < STATS_MS[range]) return known.html;
    const html = toHtml(await statsFragment(db, range));
    kept.set(range, { html, at: performance.now() });
    return html;
  };
}

function sendChanges({ send, sent }: Client, fragments: Readonly<Record<string, string>>): void {
  for (const [id, html] of Object.entries(fragments)) {
    if (sent.get(id) === html) continue;
    sent.set(id, html);
    send('fragment', JSON.stringify({ id, html }));
  }
}

function renderAll(fragments: Readonly<Record<string, Markup>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fragments).map(([id, markup]) => [id, toHtml(markup)]));
}
