import { PassThrough } from 'node:stream';
import pino from 'pino';
import supertest from 'supertest';
import type { TrustProxy } from '../../services/platform/config/variables';
import { addressOf, networkOf } from '../../services/platform/http/client-address';
import { createHttpApp } from '../../services/platform/http/edge';

/** Creates an app that answers the network by which limits count the client. */
function givenApp(trustProxy: TrustProxy) {
  const sink = new PassThrough();
  const app = createHttpApp({
    trustProxy,
    log: pino(sink),
    writeRequestLine: () => {},
    securityHeaders: [],
    toRefusal: () => new Error('malformed'),
  });
  app.get('/', (request, response) => response.json(networkOf(addressOf(request))));
  return {
    networkFor: async (forwarded: string) =>
      (await supertest(app).get('/').set({ 'x-forwarded-for': forwarded })).body as string,
    linesLogged: () => ((sink.read() as Buffer | null)?.toString() ?? '').split('\n').filter(Boolean),
  };
}

/** supertest connects from an address of the loopback interface. */
const PROXIES = ['127.0.0.0/8', '::1', '10.0.0.0/8', '2001:db8:a::/48'];
const PEER = '127.0.0.1';

describe('the address of a client behind proxies', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:51234', '203.0.113.7'],
    ['"203.0.113.7:51234"', '203.0.113.7'],
    ['2001:db8::1', '2001:db8::'],
    ['[2001:db8::1]', '2001:db8::'],
    ['[2001:db8::1]:443', '2001:db8::'],
    ['"[2001:db8::1]:443"', '2001:db8::'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['[::ffff:203.0.113.7]:80', '203.0.113.7'],
  ])('the header %s names the client %s', async (forwarded, client) => {
    for (const trust of [1, PROXIES]) {
      const app = givenApp(trust);
      expect(await app.networkFor(forwarded)).toBe(client);
      expect(app.linesLogged()).toEqual([]);
    }
  });

  it.each([
    ['203.0.113.7:51234, 10.0.0.2:8080', '203.0.113.7'],
    ['203.0.113.7, [2001:db8:a::2]:443,10.0.0.2', '203.0.113.7'],
    ['198.51.100.1, 203.0.113.7:1, 10.0.0.2:8080', '203.0.113.7'],
    ['nonsense, 203.0.113.7:1', '203.0.113.7'],
    ['10.0.0.3:1, 10.0.0.2:8080', '10.0.0.3'],
  ])('a trusted network also covers its proxies with a port, in %s', async (forwarded, client) => {
    const app = givenApp(PROXIES);
    expect(await app.networkFor(forwarded)).toBe(client);
    expect(app.linesLogged()).toEqual([]);
  });

  it.each([
    'unknown',
    '_hidden',
    '',
    'a, ',
    '10',
    '1.2.3',
    '1.2.3.4:',
    '999.1.1.1',
    '[::1',
    '2001:db8::1]:443',
  ])('a header with the entry "%s" counts by the peer, and the log says so once', async (entry) => {
    const app = givenApp(PROXIES);
    for (let n = 0; n < 3; n++) expect(await app.networkFor(`203.0.113.7, ${entry}`)).toBe(PEER);
    const lines = app.linesLogged();
    expect(lines).toEqual([expect.stringContaining('X-Forwarded-For without an address')]);
    expect(lines[0]).not.toMatch(/203\.0\.113\.7/);
  });

  it('a header of a client that is no trusted proxy does not count', async () => {
    const app = givenApp(false);
    expect(await app.networkFor('203.0.113.7')).toBe(PEER);
    expect(app.linesLogged()).toEqual([]);
  });
});
