import type { AddressInfo, Server, Socket } from 'node:net';

export interface RawServer {
  port: number;
  /** Head and body of every request. */
  requests: string[];
  connections: number;
  close(): Promise<void>;
}

/** Responds to the nth request (from 1) of its connection with raw bytes, or not at all. */
export type Answering = (socket: Socket, n: number, server: RawServer) => void;

/** Listens on 127.0.0.1 with a TCP or TLS server and records requests. */
export async function startRawServer(
  server: Server,
  answer?: Answering,
  greet?: (socket: Socket) => void,
): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const raw: RawServer = {
    port: 0,
    requests: [],
    connections: 0,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    raw.connections++;
    greet?.(socket);
  });
  server.on('tlsClientError', () => undefined);
  const secure = 'setSecureContext' in server;
  server.on(secure ? 'secureConnection' : 'connection', (socket: Socket) => {
    socket.on('error', () => undefined);
    if (!answer) return;
    let n = 0;
    readRequests(socket, (request) => {
      raw.requests.push(request);
      answer(socket, ++n, raw);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  raw.port = (server.address() as AddressInfo).port;
  return raw;
}

function readRequests(socket: Socket, got: (request: string) => void): void {
  let buffered = '';
  socket.on('data', (chunk: Buffer) => {
    buffered += chunk.toString('latin1');
    for (;;) {
      const head = buffered.indexOf('\r\n\r\n') + 4;
      const length = Number(/content-length: (\d+)/i.exec(buffered.slice(0, head))?.[1] ?? 0);
      if (head < 4 || buffered.length < head + length) return;
      got(buffered.slice(0, head + length));
      buffered = buffered.slice(head + length);
    }
  });
}

/** Writes the text repeatedly until the other side closes the connection, and counts the bytes. */
export function pour(socket: Socket, chunk: string | Buffer, most = 200e6): { sent: number } {
  const poured = { sent: 0 };
  const more = (): void => {
    while (!socket.destroyed && poured.sent < most) {
      poured.sent += chunk.length;
      if (!socket.write(chunk)) return void socket.once('drain', more);
    }
  };
  more();
  return poured;
}

/** Writes one byte each 100 ms. */
export function drip(socket: Socket, text: string): void {
  let at = 0;
  const timer = setInterval(() => {
    if (socket.destroyed || at >= text.length) clearInterval(timer);
    else socket.write(text[at++]!);
  }, 100);
}
