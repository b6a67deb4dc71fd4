import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { LOADERS } from '../../services/api/widget/published-scripts';
import { useTestApi } from '../support/api';

const api = useTestApi();

const hashOf = (text: string) => `sha384-${createHash('sha384').update(text).digest('base64')}`;

/**
 * The hash of each loader version, newest first. Pages of tenants contain these hashes, so a line never changes. A new loader gets a
 * new line.
 */
const PUBLISHED: [version: string, integrity: string][] = [
  ['v3', 'sha384-6VOBdfU30ha+kqOpnCAOnZyeZQnu0WSXB9XnCc7/R8QM1+BEQv49UWrXc4hS3qat'],
];

describe('/embed/widget.js', () => {
  it('the loader is small, public to every origin and revalidated each time', async () => {
    const { status, headers, text } = await api.http.get('/embed/widget.js');
    expect(status).toBe(200);
    expect(gzipSync(text).length).toBeLessThan(6144);
    expect(headers).toMatchObject({
      'content-type': 'application/javascript; charset=utf-8',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'no-cache',
    });
    expect((await api.http.get('/embed/widget.js').set('if-none-match', headers.etag!)).status).toBe(304);
  });

  it('the address without a version serves the newest version', async () => {
    const { text } = await api.http.get('/embed/widget.js');
    expect(hashOf(text)).toBe(PUBLISHED[0]![1]);
    expect(LOADERS.map(({ version, integrity }) => [version, integrity])).toEqual(PUBLISHED);
  });
});

describe('a version of the loader', () => {
  it.each(PUBLISHED)(
    'the loader version %s has not changed since its publication, and may be cached for a year',
    async (version, integrity) => {
      const { status, headers, text } = await api.http.get(`/embed/widget.${version}.js`);
      expect([status, hashOf(text)]).toEqual([200, integrity]);
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'cache-control': 'public, max-age=31536000, immutable',
      });
    },
  );

  it.each(['v0', 'v1', 'v2', 'v99', 'v3.1'])(
    'the service answers 404 for the loader version %s, which was removed or never existed',
    async (version) => {
      expect((await api.http.get(`/embed/widget.${version}.js`)).status).toBe(404);
    },
  );
});
