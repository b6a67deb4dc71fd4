import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, request as startRequest, type IncomingHttpHeaders, type Server } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import express from 'express';
import fastify from 'fastify';
import { tourProxy, type TourProxyOptions } from '../../clients/typescript/src/index';
import { type Child, startChild, untilReady } from '../stack/child';
import { useTestApi } from '../support/api';
import { describeWith } from '../support/describe-with';
import { freePorts, isListening } from '../support/free-ports';
import { givenDeparture, givenKey, givenTenant, givenTour, type GivenTour } from '../support/given';
import { listen } from '../support/listen';
import { useTemporaryFolder } from '../support/temporary-folder';
import { pageSnippets } from '../docs/guide';
import { SECRET } from './proxy-fixture';

const FOLDER = useTemporaryFolder();
const api = useTestApi();
let options: TourProxyOptions;
let tour: GivenTour;
let date: string;
let errors: unknown[] = [];

beforeAll(async () => {
  tour = await givenTour(api.db);
  date = await givenDeparture(api.db, tour, { seats: 50 });
  const apiKey = await givenKey(api.db, await givenTenant(api.db));
  const onError = (error: unknown) => void errors.push(error);
  options = { baseUrl: api.baseUrl, apiKey, secret: SECRET, onError };
});
beforeEach(() => {
  errors = [];
});

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: ReturnType<JSON['parse']>;
}

/** Sends a request with any Host, which fetch does not allow. */
function send(
  port: number,
  method: string,
  target: string,
  headers: Record<string, string> = {},
  body?: object,
) {
  return new Promise<Answer>((resolve, reject) => {
    const sent = { ...(body && { 'content-type': 'application/json' }), ...headers };
    const client = startRequest({ host: '127.0.0.1', port, method, path: target, headers: sent });
    client.once('error', reject).once('response', (response) => {
      const { statusCode, headers: received } = response;
      const isJson = /json/.test(received['content-type'] ?? '');
      void text(response).then((content) =>
        resolve({ status: statusCode!, headers: received, body: isJson ? JSON.parse(content) : undefined }),
      );
    });
    client.end(body && JSON.stringify(body));
  });
}

async function whileServing(server: Server, use: (port: number) => Promise<void>): Promise<void> {
  const port = await listen(server);
  try {
    await use(port);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('a path with other characters than those of ASCII', () => {
  const MOUNT = '/städte reisen/ベトナム';
  const sites: Record<string, () => Server | Promise<Server>> = {
    'node:http': () => {
      const proxy = tourProxy({ ...options, path: MOUNT });
      return createServer((request, response) => void proxy(request, response));
    },
    'node:http, with the encoded path': () => {
      const proxy = tourProxy({ ...options, path: `${encodeURI(MOUNT).toLowerCase()}/` });
      return createServer((request, response) => void proxy(request, response));
    },
    'Express, which leaves the path to the proxy': () =>
      createServer(express().use(tourProxy({ ...options, path: MOUNT }))),
    'Express, which needs the encoded path': () =>
      createServer(express().use(encodeURI(MOUNT), tourProxy(options))),
    Fastify: async () => {
      const app = fastify();
      await app.register(tourProxy(options).fastify, { prefix: MOUNT });
      await app.ready();
      return app.server;
    },
    'a server in the style of fetch': () => {
      const proxy = tourProxy({ ...options, path: MOUNT });
      return createServer((incoming, outgoing) => {
        const { url, headers } = incoming;
        void proxy(new Request(`http://${headers.host}${url}`)).then(async (response) => {
          outgoing.writeHead(response.status, [...response.headers].flat()).end(await response.text());
        });
      });
    },
  };
  it.each(Object.entries(sites))('the proxy answers at the encoded address, on %s', async (_name, start) => {
    await whileServing(await start(), async (port) => {
      const { body } = await send(port, 'GET', `${encodeURI(MOUNT)}/tours/${tour.slug}/`);
      expect(body).toMatchObject({ slug: tour.slug });
      expect((await send(port, 'GET', `${encodeURI(`${MOUNT}ü`)}/tours`)).status).toBe(404);
    });
  });
});

describe('a page with http under another name than this machine', () => {
  const headers = { host: 'shop.example', origin: 'http://shop.example' };
  const wish = () => ({ tour_id: tour.slug, departure_date: date, quantity: 1 });
  const served = (more: Partial<TourProxyOptions>, use: (port: number) => Promise<void>) => {
    const proxy = tourProxy({ ...options, ...more, path: '/tours' });
    return whileServing(
      createServer((request, response) => void proxy(request, response)),
      use,
    );
  };

  it('a hold is refused before seats are taken, in words that name http, and the site learns of it once', () =>
    served({}, async (port) => {
      const before = await api.db('seat_holds').count();
      for (const method of ['OPTIONS', 'POST', 'POST']) {
        const answer = await send(
          port,
          method,
          '/tours/hold',
          headers,
          method === 'POST' ? wish() : undefined,
        );
        expect(answer).toMatchObject({ status: 403, body: { code: 'origin_not_allowed' } });
        expect(answer.body.detail).toContain('Serve the site by https');
        expect(answer.headers['set-cookie']).toBeUndefined();
      }
      expect(await api.db('seat_holds').count()).toEqual(before);
      expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('by https') })]);
      expect((await send(port, 'GET', `/tours/tours/${tour.slug}`, headers)).status).toBe(200);
    }));

  it('a site that sets secure: false sells', () =>
    served({ secure: false }, async (port) => {
      const { status, headers: answered } = await send(port, 'POST', '/tours/hold', headers, wish());
      expect(status).toBe(201);
      expect(answered['set-cookie']![0]).toMatch(/^tour_visitor=(?!.*Secure)/);
    }));

  it('the same name with https sells, and so does a name below localhost without Secure', () =>
    served({}, async (port) => {
      const secure = { ...headers, origin: 'https://shop.example' };
      const sold = await send(port, 'POST', '/tours/hold', secure, wish());
      expect(sold.headers['set-cookie']![0]).toMatch(/^__Host-tour_visitor=.*; Secure/);
      const local = { host: `shop.localhost:${port}`, origin: `http://shop.localhost:${port}` };
      const tried = await send(port, 'POST', '/tours/hold', local, wish());
      expect(tried.headers['set-cookie']![0]).toMatch(/^tour_visitor=(?!.*Secure)/);
    }));
});

describeWith('nginx', 'nginx before the site', () => {
  let nginx: Child | undefined;
  afterEach(() => nginx?.stop());

  /** Starts nginx with this text in the location of the site. @returns its port */
  async function startNginx(location: string): Promise<number> {
    const [port] = await freePorts();
    const dir = mkdtempSync(path.join(FOLDER, 'nginx-'));
    mkdirSync(path.join(dir, 'temp'));
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${dir}/temp/${name};`)
      .join(' ');
    const file = path.join(dir, 'nginx.conf');
    writeFileSync(
      file,
      `pid ${dir}/nginx.pid; events {} http { access_log off; ${temporary} server { listen 127.0.0.1:${port}; ${location} } }`,
    );
    nginx = startChild({
      name: 'nginx',
      program: 'nginx',
      cwd: dir,
      args: ['-p', dir, '-c', file, '-e', 'stderr', '-g', 'daemon off;'],
      env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin' },
      logFile: path.join(dir, 'nginx.log'),
    });
    await untilReady(nginx, 'nginx', () => isListening(port));
    return port;
  }

  const page = {
    host: 'www.example.com',
    origin: 'https://www.example.com',
    'sec-fetch-site': 'same-origin',
  };

  it('with the lines of the guide a visitor holds seats, and without the line of Host a problem names it', async () => {
    const [lines] = pageSnippets('guide/proxy.md', 'Behind a reverse proxy', 'nginx') as [string];
    const proxy = tourProxy({ ...options, path: '/tours' });
    await whileServing(
      createServer((request, response) => void proxy(request, response)),
      async (sitePort) => {
        const hold = async (location: string) => {
          const port = await startNginx(location.replace('4000', `${sitePort}`));
          const wish = { tour_id: tour.slug, departure_date: date, quantity: 1 };
          const answer = await send(port, 'POST', '/tours/hold', page, wish);
          await nginx?.stop();
          return answer;
        };
        const kept = await hold(lines);
        expect(kept.status).toBe(201);
        expect(kept.headers['set-cookie']![0]).toMatch(/^__Host-tour_visitor=.*; Secure/);
        const lost = await hold(lines.replace(/^ *proxy_set_header Host .*\n/m, ''));
        expect(lost).toMatchObject({ status: 403, body: { code: 'origin_not_allowed' } });
        expect(lost.body.detail).toContain('proxy_set_header Host $http_host');
      },
    );
  });
});
