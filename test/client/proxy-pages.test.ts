import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import express from 'express';
import fastify from 'fastify';
import { type TourProxy, tourProxy } from '../../clients/typescript/src/index';
import { useTestApi } from '../support/api';
import { givenKey, givenTenant } from '../support/given';
import { listen } from '../support/listen';
import { SECRET } from './proxy-fixture';

const api = useTestApi();
let proxy: TourProxy;

beforeAll(async () => {
  const apiKey = await givenKey(api.db, await givenTenant(api.db));
  proxy = tourProxy({ baseUrl: api.baseUrl, apiKey, secret: SECRET });
});

/** Sites with a page that is built on bookingOf, as the servers of the guide have it. */
const SITES: Record<string, () => Server | Promise<Server>> = {
  Express: () =>
    createServer(
      express().get('/pay', async (request, response) => {
        response.json((await proxy.bookingOf(request)) ?? null);
      }),
    ),
  'a router of Express': () => {
    const pages = express.Router().get('/', async (request, response) => {
      response.json((await proxy.bookingOf(request)) ?? null);
    });
    return createServer(express().use('/pay', pages));
  },
  'node:http': () =>
    createServer((request, response) => {
      void proxy
        .bookingOf(request, response)
        .then((booking) => response.end(JSON.stringify(booking ?? null)));
    }),
  Fastify: async () => {
    const app = fastify();
    app.get('/pay', async (request, reply) => (await proxy.bookingOf(request, reply)) ?? 'null');
    await app.ready();
    return app.server;
  },
  'a server in the style of fetch': () =>
    createServer((incoming, outgoing) => {
      const headers = new Headers();
      const request = new Request(`http://127.0.0.1${incoming.url}`);
      void proxy.bookingOf(request, headers).then((booking) => {
        outgoing.writeHead(200, [...headers].flat()).end(JSON.stringify(booking ?? null));
      });
    }),
};

describe('a page of the site that shows the booking of a visitor', () => {
  it.each(Object.entries(SITES))('no cache may keep it, on %s', async (_name, start) => {
    const server = await start();
    const port = await listen(server);
    const response = await fetch(`http://127.0.0.1:${port}/pay`);
    expect(await response.json()).toBeNull();
    expect(response.headers.get('cache-control')).toBe('no-store');
    server.closeAllConnections();
    server.close();
  });

  it('a caller that gives no response is refused before the platform is asked, in words that name the parameter', async () => {
    const refusal = 'bookingOf(request, response)';
    await expect(proxy.bookingOf(new Request('http://127.0.0.1/pay'))).rejects.toThrow(refusal);
    const outcome = new Promise<unknown>((resolve) => {
      const answer = (request: IncomingMessage, response: ServerResponse) => {
        resolve(proxy.bookingOf(request).catch((error: unknown) => error));
        response.end();
      };
      const server = createServer(answer);
      void listen(server).then(async (port) => {
        await fetch(`http://127.0.0.1:${port}/pay`);
        server.close();
      });
    });
    expect(String(await outcome)).toContain(refusal);
  });
});
