import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { once } from 'node:events';
import { type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import express from 'express';
import { createFixedBody } from '../../services/platform/http/fixed-body';

const TEXT = 'A text that is repeated. '.repeat(100);
const app = express();
app.set('etag', false);
const body = createFixedBody('text/plain', TEXT);
app.get('/', (received, response) => body.send(received, response));

let server: Server;
beforeAll(async () => {
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Returns the bytes as they were sent. Other test clients would decompress them. */
async function get(acceptEncoding: string, headers: Record<string, string> = {}) {
  const { port } = server.address() as AddressInfo;
  const sent = { ...headers, 'accept-encoding': acceptEncoding, connection: 'close' };
  const [response] = (await once(request({ port, headers: sent }).end(), 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
}

describe('a fixed body', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip;q=0, *', undefined],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['gzip;q=0.5, identity', undefined],
    ['gzip;q=0.5', 'gzip'],
    ['deflate', undefined],
    ['identity;q=0, *;q=0', undefined],
    ['', undefined],
    ['gzip;q=x', undefined],
  ])('a client that accepts %j gets the coding %s', async (accepted, coding) => {
    const { headers } = await get(accepted);
    expect(headers['content-encoding']).toBe(coding);
    expect(headers.vary).toBe('Accept-Encoding');
  });

  it('each coding carries the same text under its own ETag, and compression makes it smaller', async () => {
    const [plain, gzip, br] = [await get('identity'), await get('gzip'), await get('br')];
    expect(String(plain.headers['content-length'])).toBe(String(TEXT.length));
    expect(new Set([plain, gzip, br].map(({ headers }) => headers.etag)).size).toBe(3);
    for (const { headers } of [gzip, br]) {
      expect(Number(headers['content-length'])).toBeLessThan(TEXT.length / 10);
      expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    }
    expect(gunzipSync(gzip.body).toString()).toBe(TEXT);
    expect(brotliDecompressSync(br.body).toString()).toBe(TEXT);
    expect(String(plain.body)).toBe(TEXT);
  });

  it('a request with the ETag of a coding gets 304 for that coding only', async () => {
    const { etag } = (await get('br')).headers;
    const same = await get('br', { 'if-none-match': etag! });
    expect([same.status, same.headers.etag, same.headers.vary]).toEqual([304, etag, 'Accept-Encoding']);
    expect((await get('gzip', { 'if-none-match': etag! })).status).toBe(200);
  });
});
