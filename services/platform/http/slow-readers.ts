import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Limits for a client that takes its answer slowly. */
export interface ReaderLimits {
  /** Time that a client may take nothing at the beginning. */
  unreadMs: number;
  /** Bytes a second that a client must take in the long run. */
  readBytesPerSecond: number;
  /** The longest time without progress: a client that was fast before may pause so long. */
  unreadMaxMs: number;
}

/** Node's counts of the bytes of a socket. Its own timeout of a silent socket reads the same two properties. */
interface WriteState {
  /** Bytes that were passed to the operating system, or wait for it. */
  bytesWritten: number;
  /** Bytes that wait, because the buffers of the operating system are full. */
  writeQueueSize: number;
}

interface Reader {
  /** Bytes that the operating system has accepted. */
  accepted: number;
  /** Time that is left for the client to take more. */
  leftMs: number;
}

/**
 * Closes the connections of clients that do not take their answers: the answer waits in memory, and Node's own timeout counts each byte
 * that is taken as activity. A client has `unreadMs`, and each byte it takes adds the time of that byte at the lowest rate. Bytes count
 * when the operating system accepts them: its buffers have room for 100 KB to 4 MB, which cost this process nothing, and it accepts more
 * only when a third of them is free. `unreadMaxMs` is longer than that third takes at the lowest rate, so that a steady reader goes on.
 */
export function closeSlowReaders(server: Server, limits: ReaderLimits, checkEveryMs: number): void {
  const readers = new Map<Socket, Reader>();
  server.on('connection', (socket: Socket) => {
    readers.set(socket, { accepted: 0, leftMs: limits.unreadMs });
    socket.once('close', () => readers.delete(socket));
  });
  let checkedAt = performance.now();
  const check = () => {
    const now = performance.now();
    // While this process stood still, no client could take anything.
    const elapsedMs = Math.min(now - checkedAt, 2 * checkEveryMs);
    for (const [socket, reader] of readers) {
      const state = (socket as { _handle?: WriteState | null })._handle;
      if (state && !mayGoOn(reader, state, elapsedMs, limits)) socket.destroy();
    }
    checkedAt = now;
  };
  const timer = setInterval(check, checkEveryMs).unref();
  server.once('close', () => clearInterval(timer));
}

/** Updates the reader after `elapsedMs`. Returns false if its time is over. */
function mayGoOn(reader: Reader, state: WriteState, elapsedMs: number, limits: ReaderLimits): boolean {
  const accepted = state.bytesWritten - state.writeQueueSize;
  const taken = accepted - reader.accepted;
  reader.accepted = accepted;
  const earnedMs = (taken * 1000) / limits.readBytesPerSecond;
  const leftMs = Math.min(reader.leftMs + earnedMs - elapsedMs, limits.unreadMaxMs);
  reader.leftMs = state.writeQueueSize === 0 ? limits.unreadMs : leftMs;
  return reader.leftMs > 0;
}
