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

/** When this share of all connections is open, each new connection closes the one that has been without a request for the longest time. */
const PRESSURE = 0.9;

/**
 * Keeps connections free for clients that send requests. A connection without a request is idle, or has not sent complete headers yet. When
 * nearly all connections are used, or all those of one address, a new connection closes the one that has been without a request for the
 * longest time. If all connections of an address are used and have requests, the address gets no more connections.
 * @param isProxy returns whether the peer is a trusted proxy, which forwards many clients
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
 * Makes destroySoon() end the connection in two steps: it sends the last response and FIN, then discards the client's bytes for at most two
 * seconds. A socket that is destroyed with unread bytes sends a reset, and the client may lose the response (RFC 9112 section 9.6).
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
  /** The longest time without progress: a client that was fast before may pause so long. */
  unreadMaxMs: number;
}

/** Node's counts of the bytes of a socket. Node's own timeout of a silent socket reads the same two properties. */
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
 * Closes the connections of clients that read their answers too slowly, because an unread answer occupies memory. Node's own timeout does
 * not help: it starts again at each byte that the client reads.
 * - A client has `unreadMs`. Each byte that it reads adds the time that this byte takes at the lowest allowed rate.
 * - A byte counts as read when the operating system accepts it. The system's buffers hold 100 KB to 4 MB, and it accepts more bytes only
 *   when a third of a full buffer is free again.
 * - `unreadMaxMs` is longer than a third of a buffer takes at the lowest rate, so that a slow but steady reader is not closed.
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
    // Counts two intervals at most: while this process was stalled, no client could read anything.
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
 * Sends the answers of one turn of the event loop together, at its end. If they were sent one by one, each write would wake a client's
 * thread that sleeps again before the next answer: such a write takes 24 µs instead of 11 (ADR 19). Node corks a socket while it writes
 * an answer anyway, so this only changes the moment of uncork(). A socket that is destroyed in the same turn still sends its answer first.
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

/** Uncorks the socket completely. Node's response.end() uncorks it once, however often it is corked. */
function uncork(socket: Socket): void {
  while (socket.writableCorked > 0) Socket.prototype.uncork.call(socket);
}
