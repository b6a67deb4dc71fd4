import { once } from 'node:events';
import http from 'node:http';
import { collectDefaultMetrics, register } from 'prom-client';

/** `/metrics` for Prometheus, on a port of its own that no tenant reaches. */
export async function startMetricsServer(host: string, port: number): Promise<{ stop(): Promise<void> }> {
  collectDefaultMetrics();
  const server = http.createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    register.metrics().then(
      (text) => response.writeHead(200, { 'Content-Type': register.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
