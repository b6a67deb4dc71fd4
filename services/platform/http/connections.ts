import type { Server } from 'node:http';
import { Socket } from 'node:net';
import { networkOf } from './client-address';

export interface ConnectionLimits {
  /** Maximum number of open connections. */
  connections: number;
  /** Maximum number of open connections of one IPv4 address or IPv6 /64 that is not a trusted proxy. */
  connectionsPerAddress: number;
  requestsPerConnection: number;
  /** Maximum number of requests of one connection that have no complete response. */
  unanswered: number;
}

/** When this share of all connections is open, each new connection closes the connection that has had no request for the longest time. */
const PRESSURE = 0.9;

/**
 * Keeps connections free for clients that send requests. A connection without a request is idle, or has not sent complete headers yet. The
 * server closes the connection that has been without a request for the longest time in two cases: nearly all connections of the server are
 * used, or all connections of one address. If all connections of an address have requests, the address gets no further connection.
 * @param isProxy returns true for a trusted proxy, which forwards requests of many clients
 */
export function boundConnections(
  server: Server,
  limits: ConnectionLimits,
  isProxy: (address: string | undefined) => boolean,
): { onBusy(socket: Socket): void; onIdle(socket: Socket): void } {
  const all = createGroup();
  const byAddress = new Map<string, Group>();
  const groupsOf = new WeakMap<Socket, Group[]>();
  const leave = (socket: Socket) => {
    for (const group of groupsOf.get(socket) ?? []) {
      group.members.delete(socket);
      group.waiting.delete(socket);
    }
  };
  const closeLongestWaiting = ({ waiting }: Group): boolean => {
    const [socket] = waiting;
    if (!socket) return false;
    // Removes the socket now, because the next connection may arrive before the close event.
    leave(socket);
    socket.destroy();
    return true;
  };

  server.maxConnections = limits.connections;
  server.on('connection', (socket: Socket) => {
    const address = isProxy(socket.remoteAddress) ? undefined : networkOf(socket.remoteAddress);
    const own = address === undefined ? undefined : (byAddress.get(address) ?? createGroup());
    if (own && own.members.size >= limits.connectionsPerAddress && !closeLongestWaiting(own)) {
      socket.destroy();
      return;
    }
    if (all.members.size >= limits.connections * PRESSURE) closeLongestWaiting(all);
    const groups = own ? [all, own] : [all];
    groupsOf.set(socket, groups);
    for (const group of groups) join(group, socket);
    if (own && address) byAddress.set(address, own);
    socket.once('close', () => {
      leave(socket);
      if (own?.members.size === 0 && address && byAddress.get(address) === own) byAddress.delete(address);
    });
  });

  return {
    onBusy: (socket) => groupsOf.get(socket)?.forEach(({ waiting }) => waiting.delete(socket)),
    onIdle: (socket) => {
      if (socket.destroyed) return;
      groupsOf.get(socket)?.forEach(({ waiting }) => waiting.add(socket));
    },
  };
}

interface Group {
  members: Set<Socket>;
  /** Connections without a request, the longest waiting first. */
  waiting: Set<Socket>;
}

function createGroup(): Group {
  return { members: new Set(), waiting: new Set() };
}

function join({ members, waiting }: Group, socket: Socket): void {
  members.add(socket);
  waiting.add(socket);
}

const LINGER_MS = 2_000;
const LINGER_BYTES = 1024 * 1024;

/**
 * Makes destroySoon() end the connection in two steps. First it sends the last response and FIN. Then it discards the client's bytes for at
 * most two seconds. A socket that is destroyed with unread bytes sends a reset, and the client may lose the response (RFC 9112 section
 * 9.6).
 */
export function lingerOnClose(socket: Socket): void {
  socket.destroySoon = () => {
    discardInput(socket);
    socket.end();
    const cut = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once('close', () => clearTimeout(cut));
  };
}

/** Detaches the parser, then reads and discards at most 1 MiB. */
export function discardInput(socket: Socket): void {
  socket.removeAllListeners('data');
  let left = LINGER_BYTES;
  socket.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) socket.pause();
  });
  socket.resume();
}

/** Limits for a client that reads its answer slowly. */
export interface ReaderLimits {
  /** Time for which a client may read nothing at the beginning. */
  unreadMs: number;
  /** Bytes a second that a client must read in the long run. */
  readBytesPerSecond: number;
  /** The longest time in which a client may read nothing, even if it read fast before. */
  unreadMaxMs: number;
}

/** Node's counts of the bytes that a socket has to write. Node's own timeout for sockets reads the same two properties. */
interface WriteState {
  /** Bytes that were passed to the operating system, or wait for it. */
  bytesWritten: number;
  /** Bytes that wait, because the buffers of the operating system are full. */
  writeQueueSize: number;
}

interface Reader {
  /** Bytes that the operating system has accepted. */
  accepted: number;
  /** Time that is left for the client to read more. */
  leftMs: number;
}

/**
 * Closes the connections of clients that read their responses too slowly, because an unread response occupies memory. Node's own timeout
 * does not help: it starts again at each byte that the client reads.
 * - A client has `unreadMs` to read. Each byte that it reads extends this time by the duration of one byte at the lowest allowed rate.
 * - A byte counts as read when the operating system accepts it. The buffers of the system hold 100 KB to 4 MB. A full buffer accepts more
 *   bytes only when a third of it is free again.
 * - `unreadMaxMs` is longer than the transfer of a third of a buffer at the lowest rate, so that a slow but steady client is not closed.
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
    // Counts at most two intervals, because no client could read anything while this process was stalled.
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

/** Updates the reader after `elapsedMs`. Returns false if the reader's time is over. */
function mayGoOn(reader: Reader, state: WriteState, elapsedMs: number, limits: ReaderLimits): boolean {
  const accepted = state.bytesWritten - state.writeQueueSize;
  const taken = accepted - reader.accepted;
  reader.accepted = accepted;
  const earnedMs = (taken * 1000) / limits.readBytesPerSecond;
  const leftMs = Math.min(reader.leftMs + earnedMs - elapsedMs, limits.unreadMaxMs);
  reader.leftMs = state.writeQueueSize === 0 ? limits.unreadMs : leftMs;
  return reader.leftMs > 0;
}

/**
 * Sends the responses of one turn of the event loop together, at the end of the turn. Otherwise each write would wake a client thread that
 * sleeps again before the next response. Such a write takes 24 µs instead of 11 (ADR 19). Node corks a socket anyway while it writes a
 * response, so only the moment of uncork() changes. A socket that is destroyed in the same turn still sends its response first.
 */
export function sendAnswersTogether(server: Server): void {
  let corked = new Set<Socket>();
  const sendAll = () => {
    const sockets = corked;
    corked = new Set();
    for (const socket of sockets) uncork(socket);
  };
  server.on('connection', (socket: Socket) => {
    socket.uncork = () => {
      if (corked.size === 0) setImmediate(sendAll);
      corked.add(socket);
    };
    socket.destroy = (error) => {
      uncork(socket);
      return Socket.prototype.destroy.call(socket, error);
    };
  });
}

/** Uncorks the socket completely. Node's response.end() uncorks a socket only once, even if the socket was corked several times. */
function uncork(socket: Socket): void {
  while (socket.writableCorked > 0) Socket.prototype.uncork.call(socket);
}
