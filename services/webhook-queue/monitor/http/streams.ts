import type { Response } from 'express';
import type { Db } from '../../../platform/database';
import type { LiveUpdates } from '../pages/live';
import type { Range } from '../queries/read-query';
import { findSession, type MonitorSession } from '../sign-in/session';
import { RequestRefusal } from './errors';

const STREAMS_MAX = 100;
const STREAMS_PER_SESSION_MAX = 10;
const HEARTBEAT_MS = 15_000;
/** Closes a stream whose client lags this far behind. */
const UNREAD_MAX_BYTES = 1_048_576;

/** The open event streams of this process. */
export interface Streams {
  /** Answers with a stream until the client leaves or the session ends. @throws RequestRefusal when too many are open */
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
      // The client left during the session check: no close event follows.
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

/** Closes streams of ended sessions. Keeps them open while the database is down. */
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
