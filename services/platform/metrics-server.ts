import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { collectDefaultMetrics, Gauge, register } from 'prom-client';

const buildInfo = new Gauge({
  name: 'build_info',
  help: '1, with the version that runs',
  labelNames: ['version'] as const,
});

/** `/metrics` for Prometheus, on a port of its own that no tenant reaches. */
export async function startMetricsServer(host: string, port: number): Promise<{ stop(): Promise<void> }> {
  collectDefaultMetrics();
  buildInfo.set({ version: ownVersion() }, 1);
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

/** Of the package that this file is part of, in the checkout and in dist/ alike. */
function ownVersion(folder = __dirname): string {
  const file = path.join(folder, 'package.json');
  if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
  const above = path.dirname(folder);
  return above === folder ? 'unknown' : ownVersion(above);
}
