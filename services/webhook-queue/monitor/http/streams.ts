import type { Response } from 'express';
import type { Db } from '../../../platform/database';
import type { Live } from '../pages/live';
import type { Range } from '../queries/read-query';
import { findSession, type MonitorSession } from '../sign-in/session';
import { Refusal } from './refusal';

const STREAMS_MAX = 100;
const STREAMS_OF_A_SESSION_MAX = 10;
const HEARTBEAT_MS = 15_000;
/** A reader that lags this far behind is not looking. */
const UNREAD_MAX_BYTES = 1_048_576;

/** The open event streams of this process. */
export interface Streams {
  /** Answers with a stream that lasts until the client leaves or the session ends. @throws Refusal when there are too many */
  open(response: Response, session: MonitorSession, range: Range): void;
  endSession(sessionId: string): void;
  /** Takes no more, and ends those that are open. */
  stop(): void;
}

interface Stream {
  session: MonitorSession;
  response: Response;
}

export function createStreams(db: Db, live: Live, heartbeatMs = HEARTBEAT_MS): Streams {
  const streams = new Set<Stream>();
  const beat = setInterval(() => void judge(db, streams), heartbeatMs);
  beat.unref();

  return {
    open(response, session, range) {
      refuseTooMany(streams, session);
      // Gone while the session was judged: no close will be told any more.
      if (response.destroyed) return;
      begin(response);
      const leave = live.add((event, data) => send(response, event, data), range);
      const stream = { session, response };
      streams.add(stream);
      response.once('close', () => {
        streams.delete(stream);
        leave();
      });
    },
    endSession: (id) => end(streams, (session) => session.id === id),
    stop() {
      clearInterval(beat);
      end(streams, () => true);
      live.stop();
    },
  };
}

function refuseTooMany(streams: Set<Stream>, session: MonitorSession): void {
  const own = [...streams].filter((stream) => stream.session.id === session.id).length;
  const later = { 'Retry-After': '15' };
  if (own >= STREAMS_OF_A_SESSION_MAX) throw new Refusal(429, 'Too many pages of yours are live.', later);
  if (streams.size >= STREAMS_MAX) throw new Refusal(503, 'Too many pages are live.', later);
}

function begin(response: Response): void {
  // The last is for proxies that would collect the answer before they pass it on.
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

/** Whose session is over sees no more. While the database does not answer there is nothing to see, and nothing is judged. */
async function judge(db: Db, streams: Set<Stream>): Promise<void> {
  const sessions = new Map([...streams].map(({ session }) => [session.id, session]));
  for (const session of sessions.values()) {
    const standing = await findSession(db, session.token).catch(() => session);
    if (!standing) end(streams, ({ id }) => id === session.id);
  }
  for (const { response } of streams) write(response, ': still here\n\n');
}

function end(streams: Set<Stream>, which: (session: MonitorSession) => boolean): void {
  for (const { response, session } of streams) if (which(session)) response.end();
}
