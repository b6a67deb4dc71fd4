import { createServer } from 'node:http';
import path from 'node:path';
import express, { type RequestHandler } from 'express';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { tourProxy, type TourProxyOptions } from '../../clients/typescript/src/index';
import type { Tenant } from '../../services/api/tenants/tenant';
import { startTestApi, type TestApi } from '../support/api';
import { givenKey, givenTenant } from '../support/given';
import { listen } from '../support/listen';

/** The module of the element, as the build makes it. */
const ELEMENT = path.resolve(__dirname, '../../dist/services/api/widget/assets/booking.v1.js');
/** The strictest policy under which a page can sell. It allows no style sheet but a constructed one. */
const STRICT_POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";
const PROXY_SECRET = 'the secret of a site, of 32 characters or more';

/** The accident of a request of the element. `lost`: the proxy handles it, and its answer never arrives. `cut`: it never reaches the proxy. */
export type Accident = 'lost' | 'cut';

/** The platform, and a site of a tenant with the proxy at /tours. */
export interface SellingSite {
  api: TestApi;
  tenant: Tenant;
  /** http://127.0.0.1:port */
  address: string;
  /** The requests to the proxy: `POST /tours/hold`. */
  requests: string[];
  /** Returns what happens to a request to the proxy, such as `POST /tours/hold`. Each test begins without accidents. */
  accident: (request: string) => Accident | undefined;
  /** Answers a request to the proxy in its place. Each test begins without it. */
  intercept: RequestHandler;
  /** Gives the page of the site this body and the script of the element. @param head more elements of the head */
  show(body: string, head?: string): void;
}

/** A site, and a browser with a new page for each test. */
export interface ElementSite extends SellingSite {
  browser: Browser;
  context: BrowserContext;
  page: Page;
  /** The lines of the page's console, and its errors. */
  complaints: string[];
  /** Opens a page with this body and the script of the element. @param head more elements of the head */
  open(body: string, head?: string): Promise<void>;
}

export interface ElementSiteOptions {
  proxy?: Partial<TourProxyOptions>;
  context?: BrowserContextOptions;
}

/** Starts the site before the tests of a block. */
export function useSellingSite(proxy: Partial<TourProxyOptions> = {}): SellingSite {
  const site = {} as SellingSite;
  let stop = async () => {};
  beforeAll(async () => {
    site.api = await startTestApi();
    site.tenant = await givenTenant(site.api.db);
    const apiKey = await givenKey(site.api.db, site.tenant);
    stop = await startSite(site, { baseUrl: site.api.baseUrl, apiKey, secret: PROXY_SECRET, ...proxy });
  }, 90_000);
  afterAll(async () => {
    await stop();
    await site.api?.stop();
  });
  beforeEach(() => forgetRequests(site));
  return site;
}

/** Starts the site before the tests of a block, with a new context of the browser for each test. */
export function useElementSite(browser: () => Browser, options: ElementSiteOptions = {}): ElementSite {
  const site = useSellingSite(options.proxy) as ElementSite;
  beforeAll(() => {
    site.browser = browser();
    site.open = async (body, head) => {
      site.show(body, head);
      await site.page.goto(site.address);
    };
  });
  beforeEach(() => renewContext(site, options.context));
  afterEach(() => site.context.close());
  return site;
}

function forgetRequests(site: SellingSite): void {
  site.requests = [];
  site.accident = () => undefined;
  site.intercept = (_request, _response, next) => next();
}

/** Replaces the page by one of a new visitor. */
export async function renewContext(site: ElementSite, options: BrowserContextOptions = {}): Promise<void> {
  await site.context?.close();
  site.context = await site.browser.newContext({ locale: 'en-GB', ...options });
  site.page = await site.context.newPage();
  site.complaints = [];
  forgetRequests(site);
  site.page.on('console', (message) => site.complaints.push(message.text()));
  site.page.on('pageerror', (error) => site.complaints.push(String(error)));
}

/** Starts the site of a tenant. @returns stops it */
async function startSite(site: SellingSite, proxy: TourProxyOptions): Promise<() => Promise<void>> {
  let html = '';
  const app = express();
  app.get('/booking.js', (_request, response) => response.sendFile(ELEMENT));
  app.use('/tours', recordRequests(site), (...call) => site.intercept(...call), tourProxy(proxy));
  app.get(
    '/pay',
    (_request, response) => void response.send('<!doctype html><title>Pay</title><h1>Pay here</h1>'),
  );
  app.get('/favicon.ico', (_request, response) => void response.status(204).end());
  app.get('/{*page}', (_request, response) => {
    response.set('Content-Security-Policy', STRICT_POLICY).send(html);
  });
  const server = createServer(app);
  site.address = `http://127.0.0.1:${await listen(server)}`;
  site.show = (body, head = '') => {
    html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A tour</title>${head}<script type="module" src="/booking.js"></script></head><body>${body}</body></html>`;
  };
  return async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
}

/** Records the requests to the proxy, and makes their accidents. */
function recordRequests(site: SellingSite): RequestHandler {
  return (request, response, next) => {
    const name = `${request.method} ${request.originalUrl.split('?')[0]}`;
    site.requests.push(name);
    const accident = site.accident(name);
    if (accident === 'cut') return void request.socket.destroy();
    if (accident === 'lost') {
      const lose = () => {
        request.socket.destroy();
        return response;
      };
      Object.assign(response, { writeHead: () => response, write: () => true, end: lose });
    }
    next();
  };
}
