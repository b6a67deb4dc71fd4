import { createServer, type Server } from 'node:http';
import express from 'express';
import fastify from 'fastify';
import { tourProxy, type TourProxy, type TourProxyOptions } from '../../clients/typescript/src/index';
import { listen } from '../support/listen';

export const SECRET = 'a secret that only the site knows, of 32 or more';

/** A site with the proxy at `api`. */
export interface Shop {
  proxy: TourProxy;
  /** The address of the proxy: http://127.0.0.1:port/shop */
  api: string;
  stop(): Promise<void>;
}

export type ShopOptions = Partial<TourProxyOptions> & Pick<TourProxyOptions, 'baseUrl' | 'apiKey'>;
export type ServerKind = (options: TourProxyOptions) => Promise<Shop>;

/** Starts a site on node:http. */
export async function startShop(options: ShopOptions): Promise<Shop> {
  return SERVERS['node:http']({ secret: SECRET, ...options });
}

/** The servers for which the proxy has a handler. */
export const SERVERS = {
  'node:http': async (options) => {
    const proxy = tourProxy({ ...options, path: '/shop' });
    return shopOf(
      proxy,
      createServer((request, response) => void proxy(request, response)),
    );
  },
  Express: async (options) => {
    const proxy = tourProxy(options);
    return shopOf(proxy, createServer(express().use('/shop', proxy)));
  },
  'Express behind express.json': async (options) => {
    const proxy = tourProxy(options);
    return shopOf(proxy, createServer(express().use(express.json()).use('/shop', proxy)));
  },
  Fastify: async (options) => {
    const proxy = tourProxy(options);
    const app = fastify();
    await app.register(proxy.fastify, { prefix: '/shop' });
    await app.ready();
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as { port: number };
    return { proxy, api: `http://127.0.0.1:${port}/shop`, stop: () => app.close() };
  },
  'a server in the style of fetch': async (options) => {
    const proxy = tourProxy({ ...options, path: '/shop' });
    return shopOf(
      proxy,
      fetchStyleServer((request) => proxy(request)),
    );
  },
} satisfies Record<string, ServerKind>;

async function shopOf(proxy: TourProxy, server: Server): Promise<Shop> {
  const port = await listen(server);
  return {
    proxy,
    api: `http://127.0.0.1:${port}/shop`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Does what the Node adapters of Hono and others do: makes a Request, and writes the Response. */
function fetchStyleServer(handle: (request: Request) => Promise<Response>): Server {
  return createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming;
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const request = new Request(`http://${headers.host}${url}`, {
      method,
      headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
      body: hasBody ? incoming : null,
      duplex: 'half',
    });
    void handle(request).then(async (response) => {
      outgoing.statusCode = response.status;
      for (const [name, value] of response.headers) outgoing.appendHeader(name, value);
      outgoing.end(Buffer.from(await response.arrayBuffer()));
    });
  });
}

/** An answer that a visitor got. */
export interface VisitorAnswer {
  status: number;
  headers: Headers;
  body: ReturnType<JSON['parse']>;
}

/** A browser of one visitor: keeps the cookies, and sends what a page of the site sends. */
export class VisitorBrowser {
  readonly cookies = new Map<string, string>();

  constructor(private readonly api: string) {}

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Sends a request as a page of the site does. @param headers take the place of the usual ones */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<VisitorAnswer> {
    const sent: Record<string, string> = { 'sec-fetch-site': 'same-origin' };
    if (this.cookies.size > 0) sent.cookie = this.cookie;
    if (body !== undefined) sent['content-type'] = 'application/json';
    const response = await fetch(this.api + path, {
      method,
      headers: { ...sent, ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
  }

  #keep(line: string): void {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
    if (/Max-Age=0(;|$)/.test(line)) this.cookies.delete(name!);
    else this.cookies.set(name!, value!);
  }
}
