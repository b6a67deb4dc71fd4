import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';

export interface TcpProxy {
  port: number;
  /** Delays all bytes to the client. */
  delay(milliseconds: number): void;
  /** Accepts new connections, but sends nothing more on new or open connections. */
  hang(): void;
  /** Closes new and open connections. */
  refuse(): void;
  /** Closes the next connection, and passes the bytes of those after it. */
  refuseOne(): void;
  /** Answers everything with these bytes. */
  answerWith(bytes: string): void;
  /** Passes bytes again. */
  resume(): void;
  stop(): Promise<void>;
}

/**
 * Proxies a server on this machine, and simulates failures of networks and servers.
 * @param port the proxy's port; 0 chooses any free port
 */
export async function startTcpProxy(target: number, port = 0): Promise<TcpProxy> {
  let mode: 'pass' | 'hang' | 'refuse' | 'refuse one' | 'fake' = 'pass';
  let delayMs = 0;
  let fake = '';
  const sockets = new Set<Socket>();

  const server = net.createServer((client) => {
    if (mode === 'refuse') return client.destroy();
    if (mode === 'refuse one') {
      mode = 'pass';
      return client.destroy();
    }
    const upstream = net.connect(target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (bytes) => {
      if (mode === 'pass') upstream.write(bytes);
      if (mode === 'fake') client.write(fake);
    });
    upstream.on('data', (bytes) => {
      const send = () => mode === 'pass' && client.writable && client.write(bytes);
      if (delayMs > 0) setTimeout(send, delayMs);
      else send();
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const closeAll = () => sockets.forEach((socket) => socket.destroy());
  return {
    port: (server.address() as AddressInfo).port,
    delay: (milliseconds) => (delayMs = milliseconds),
    hang: () => (mode = 'hang'),
    refuse: () => {
      mode = 'refuse';
      closeAll();
    },
    refuseOne: () => (mode = 'refuse one'),
    answerWith: (bytes) => {
      mode = 'fake';
      fake = bytes;
    },
    resume: () => {
      // Connections with dropped bytes never answer again, because the bytes stay lost.
      mode = 'pass';
      delayMs = 0;
    },
    async stop() {
      closeAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
