import type http from 'node:http';
import { setImmediate as afterPoll, setTimeout as sleep } from 'node:timers/promises';
import type { LoadShedder } from './http/load-shedding';

/** Milliseconds, each but the first since the drain began. */
export interface DrainTimes {
  /** The door closes when no request has come for so long … */
  quiet: number;
  /** … or at last then. */
  doorCloses: number;
  /** What still comes, on a connection that was there before, is refused. */
  lastCall: number;
  /** What is still in flight is cut. */
  end: number;
}

/** docs/operations.md counts on a quiet that is shorter than the time for which a proxy leaves a failed instance alone. */
export const TIMES: DrainTimes = { quiet: 1000, doorCloses: 3000, lastCall: 7000, end: 10_000 };

const LOOK_MS = 50;

/**
 * Readiness first; then, while whoever asks for it or meets an ended connection goes elsewhere, all requests are served. With
 * the door closed what is in flight ends. A door that closed at once would lose what the kernel has accepted and Node has
 * not: such a connection is reset, and after a POST nobody knows whether it was done.
 */
export async function drain(
  /** Whose `locals.stopping` is what /readyz looks at. */
  app: { locals: { stopping?: boolean } },
  server: http.Server,
  shedder: LoadShedder,
  times = TIMES,
): Promise<void> {
  const begun = performance.now();
  const elapsed = () => performance.now() - begun;
  app.locals.stopping = true;
  shedder.beginDrain();
  while (shedder.quietMs() < times.quiet && elapsed() < times.doorCloses) await sleep(LOOK_MS);

  await untilNobodyWaits(server, times.lastCall - elapsed());
  const closed = new Promise((resolve) => server.close(resolve));
  const timers = [
    setTimeout(() => shedder.shutDown(), times.lastCall - elapsed()),
    setTimeout(() => server.closeAllConnections(), times.end - elapsed()),
    // Node closes those that are idle when the server closes, and not those that are idle later.
    setInterval(() => server.closeIdleConnections(), LOOK_MS),
  ];
  await closed;
  timers.forEach((timer) => clearTimeout(timer));
}

/** What a turn of the event loop may take, in which somebody may come to the door unseen. */
const SHORT_TURN_MS = 1;

/**
 * Resolves in an instant in which the kernel has next to no connection for us. Node takes one of them a turn of its loop, so there
 * may be many: closed after one turn, the door lost 411 requests in 120 closes under keyless POSTs on new connections, closed so 6.
 */
async function untilNobodyWaits(server: http.Server, atMostMs: number): Promise<void> {
  const until = performance.now() + atMostMs;
  let came = 0;
  const count = () => void (came += 1);
  server.on('connection', count);
  // From here on each turn begins with a look at the door.
  await afterPoll();
  for (let isQuiet = false; !isQuiet && performance.now() < until;) {
    const [before, begun] = [came, performance.now()];
    await afterPoll();
    isQuiet = came === before && performance.now() - begun < SHORT_TURN_MS;
  }
  server.off('connection', count);
}
