import { createServer, type Server } from 'node:https';
import { request } from 'node:http';
import { listen } from '../../support/listen';
import { issueCertificate } from '../../webhook-queue/certificates';

export const API_HOST = 'api.tours.example';
export const API = `https://${API_HOST}`;

/** One request that a browser made. */
export interface Seen {
  host: string;
  url: string;
  referer: string | undefined;
}

export interface Hosts {
  /** Flag for Chromium: every name resolves to this server and keeps its own origin. */
  resolverRules: string;
  seen: Seen[];
  /** Sets the page and the headers of `https://<host>/`. */
  publish(host: string, html: string, headers?: Record<string, string>): void;
  stop(): Promise<void>;
}

/** Serves any number of https hosts on one port: API_HOST is the API at `apiUrl`, the others serve the published pages. */
export async function startHosts(apiUrl: string): Promise<Hosts> {
  const pages = new Map<string, { html: string; headers: Record<string, string> }>();
  const seen: Seen[] = [];
  const { key, cert } = issueCertificate({ name: API_HOST });
  const server: Server = createServer({ key, cert }, (incoming, answer) => {
    const { host = '', referer } = incoming.headers;
    seen.push({ host, url: incoming.url!, referer });
    if (host === API_HOST) {
      const forward = {
        method: incoming.method,
        headers: { ...incoming.headers, 'x-forwarded-proto': 'https' },
      };
      const onward = request(apiUrl + incoming.url, forward, (inner) => {
        answer.writeHead(inner.statusCode!, inner.headers);
        inner.pipe(answer);
      });
      onward.once('error', () => answer.destroy());
      incoming.pipe(onward);
      return;
    }
    const page = incoming.url === '/' ? pages.get(host) : undefined;
    answer.writeHead(page ? 200 : 204, { 'content-type': 'text/html; charset=utf-8', ...page?.headers });
    answer.end(page?.html);
  });
  const port = await listen(server);
  return {
    resolverRules: `--host-resolver-rules=MAP *:443 127.0.0.1:${port}`,
    seen,
    publish: (host, html, headers = {}) => void pages.set(host, { html, headers }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
