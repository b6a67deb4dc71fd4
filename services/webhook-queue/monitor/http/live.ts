import type { Response } from 'express';
import type { Db } from '../../../platform/database/database';
import { toHtml } from '../../../platform/html-template';
import type { Logger } from '../../../platform/logger';
import { stateFragments, statsFragment } from '../pages/overview-page';
import type { Range } from '../queries/read-query';
import { findSession, type MonitorSession } from '../session';
import { RequestRefusal } from './errors';

const STREAMS_MAX = 100;
const STREAMS_PER_SESSION_MAX = 10;
const HEARTBEAT_MS = 15_000;
/** A stream with more unsent bytes than this is closed, because its client reads too slowly. */
const UNREAD_MAX_BYTES = 1_048_576;

/** The open event streams of this process. */
export interface Streams {
  /** Answers with a stream until the client leaves or the session ends. @throws RequestRefusal when too many streams are open */
  open(response: Response, session: MonitorSession, range: Range): void;
  endSession(sessionId: string): void;
  /** Ends all open streams. */
  stop(): void;
}

interface Stream {
  session: MonitorSession;
  response: Response;
}

export function createStreams(db: Db, live: LiveUpdates, heartbeatMs = HEARTBEAT_MS): Streams {
  const streams = new Set<Stream>();
  const heartbeat = setInterval(() => void checkSessions(db, streams), heartbeatMs);
  heartbeat.unref();

  return {
    open(response, session, range) {
      refuseTooMany(streams, session);
      // Stops if the client left during the session check, because the close event has then already happened.
      if (response.destroyed) return;
      begin(response);
      const unsubscribe = live.add((event, data) => send(response, event, data), range);
      const stream = { session, response };
      streams.add(stream);
      response.once('close', () => {
        streams.delete(stream);
        unsubscribe();
      });
    },
    endSession: (id) => end(streams, (session) => session.id === id),
    stop() {
      clearInterval(heartbeat);
      end(streams, () => true);
      live.stop();
    },
  };
}

function refuseTooMany(streams: Set<Stream>, session: MonitorSession): void {
  const own = [...streams].filter((stream) => stream.session.id === session.id).length;
  const later = { 'Retry-After': '15' };
  if (own >= STREAMS_PER_SESSION_MAX)
    throw new RequestRefusal(429, 'Too many pages of this session are open. Close one and try again.', later);
  if (streams.size >= STREAMS_MAX)
    throw new RequestRefusal(503, 'Too many pages are open. Try again later.', later);
}

function begin(response: Response): void {
  // X-Accel-Buffering stops proxies from buffering the stream.
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
  response.write('retry: 3000\n\n');
}

function send(response: Response, event: string, data: string): void {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  write(response, `event: ${event}\n${lines.join('')}\n`);
}

function write(response: Response, text: string): void {
  if (response.writableLength > UNREAD_MAX_BYTES) response.destroy();
  else if (!response.writableEnded) response.write(text);
}

/** Closes the streams of ended sessions, and sends a heartbeat to the other streams. While the database is down, keeps all streams open. */
async function checkSessions(db: Db, streams: Set<Stream>): Promise<void> {
  const sessions = new Map([...streams].map(({ session }) => [session.id, session]));
  for (const session of sessions.values()) {
    const current = await findSession(db, session.token).catch(() => session);
    if (!current) end(streams, ({ id }) => id === session.id);
  }
  for (const { response } of streams) write(response, ': still here\n\n');
}

function end(streams: Set<Stream>, which: (session: MonitorSession) => boolean): void {
  for (const { response, session } of streams) if (which(session)) response.end();
}

const ROUND_MS = 2000;
/** Intervals at which the statistics are read again. Long ranges change more slowly, and their queries take longer. */
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

  const sendAll = async () => {
    const { needs, tiles, workers } = await stateFragments(db);
    const state = { needs: toHtml(needs), tiles: toHtml(tiles), workers: toHtml(workers) };
    for (const range of new Set([...clients].map((client) => client.range))) {
      const fragments = { ...state, statistics: await stats(range) };
      for (const client of clients) if (client.range === range) sendChanges(client, fragments);
    }
  };
  const round = async () => {
    try {
      await sendAll();
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
