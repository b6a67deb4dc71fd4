import type http from 'node:http';
import { setImmediate as afterPoll, setTimeout as sleep } from 'node:timers/promises';
import type { LoadShedder } from './http/load-shedding';

/** Times in milliseconds since the drain began; only `quiet` is a duration. */
interface DrainTimes {
  /** The listener closes when no request has arrived for this long. */
  quiet: number;
  /** The listener closes at this time, even if requests still arrive. */
  listenerCloses: number;
  /** Requests on existing connections are refused from this time on. */
  refusalStarts: number;
  /** All connections that are still open are closed at this time. */
  end: number;
}

/** `quiet` must be shorter than the time for which a proxy avoids a failed instance (docker/nginx/upstreams.conf). */
export const DRAIN_TIMES: DrainTimes = {
  quiet: 1000,
  listenerCloses: 3000,
  refusalStarts: 7000,
  end: 10_000,
};

const CHECK_MS = 50;

/**
 * Drains the process. Lets /readyz fail, serves all requests while clients move to other instances, closes the listener, and waits for the
 * requests in flight. If the listener were closed at once, connections that the kernel has accepted but Node has not would be reset. The
 * client of a POST on such a connection would not know whether the POST had an effect.
 */
export async function drain(
  /** /readyz reads `locals.stopping`. */
  app: { locals: { stopping?: boolean } },
  server: http.Server,
  shedder: LoadShedder,
  times = DRAIN_TIMES,
): Promise<void> {
  const begun = performance.now();
  const elapsed = () => performance.now() - begun;
  app.locals.stopping = true;
  shedder.beginDrain();
  while (shedder.quietMs() < times.quiet && elapsed() < times.listenerCloses) await sleep(CHECK_MS);

  await untilNoConnectionWaits(server, times.refusalStarts - elapsed());
  const closed = new Promise((resolve) => server.close(resolve));
  const timers = [
    setTimeout(() => shedder.shutDown(), times.refusalStarts - elapsed()),
    setTimeout(() => server.closeAllConnections(), times.end - elapsed()),
    // Closes idle connections again and again, because Node closes them only once, when the server closes.
    setInterval(() => server.closeIdleConnections(), CHECK_MS),
  ];
  await closed;
  timers.forEach((timer) => clearTimeout(timer));
}

/** The longest turn of the event loop that counts as quiet. During a longer turn, the kernel may have accepted further connections. */
const SHORT_TURN_MS = 1;

/**
 * Resolves when the kernel has almost no connection that Node has not accepted. Node accepts one connection in each turn of its loop, so
 * many may wait. In a test, the listener was closed 120 times while POSTs arrived on new connections. A close after one turn lost 411
 * requests. A close after this wait lost 6.
 */
async function untilNoConnectionWaits(server: http.Server, atMostMs: number): Promise<void> {
  const until = performance.now() + atMostMs;
  let accepted = 0;
  const count = () => void (accepted += 1);
  server.on('connection', count);
  // Waits for the end of the poll phase of this turn. Each further turn then accepts a connection first, if one waits.
  await afterPoll();
  for (let isQuiet = false; !isQuiet && performance.now() < until;) {
    const [before, begun] = [accepted, performance.now()];
    await afterPoll();
    isQuiet = accepted === before && performance.now() - begun < SHORT_TURN_MS;
  }
  server.off('connection', count);
}
