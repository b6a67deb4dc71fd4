import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { ELEMENTS } from '../../services/api/widget/published-scripts';
import { useTestApi } from '../support/api';

const api = useTestApi();

/**
 * The versions of the element, newest first, with the hash of each released one. Pages of tenants contain these hashes, so a released file
 * never changes. If a released version fails here, the change belongs into the next version: docs/adr/0057-booking-element.md.
 */
const VERSIONS: [version: string, integrity: string][] = [['v1', 'not released']];

/** Most bytes by `gzip -9` of a file, which has its name too. */
const BYTES_MAX = 40_000;
const NAME = 'booking.v1.js\0';
/** Most bytes by the zlib of Node, which makes the module about 500 bytes larger than gzip does. */
const BYTES_OF_ZLIB_MAX = 40_900;

describe('/embed/booking.js', () => {
  it('the element is one small module, public to every origin and revalidated each time', async () => {
    const { status, headers, text } = await api.http.get('/embed/booking.js');
    expect(status).toBe(200);
    expect(execFileSync('gzip', ['-9'], { input: text }).length + NAME.length).toBeLessThan(BYTES_MAX);
    for (const { length } of [gzipSync(text, { level: 9 }), gzipSync(text)])
      expect(length).toBeLessThan(BYTES_OF_ZLIB_MAX);
    expect(text).toContain('tour-booking');
    expect(text).not.toMatch(/^import |import\(/m);
    expect(headers).toMatchObject({
      'content-type': 'application/javascript; charset=utf-8',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    });
    expect((await api.http.get('/embed/booking.js').set('if-none-match', headers.etag!)).status).toBe(304);
  });

  it('the address without a version serves the newest version', async () => {
    expect(ELEMENTS.map(({ version }) => version)).toEqual(VERSIONS.map(([version]) => version));
    const { text } = await api.http.get('/embed/booking.js');
    expect(text).toBe(ELEMENTS[0].text);
  });
});

describe('a version of the element', () => {
  it.each(VERSIONS)(
    'the element version %s may be cached for a year, and has not changed since its release (%s)',
    async (version, released) => {
      const { status, headers, text } = await api.http.get(`/embed/booking.${version}.js`);
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'cache-control': 'public, max-age=31536000, immutable',
      });
      const hash = `sha384-${createHash('sha384').update(text).digest('base64')}`;
      expect(ELEMENTS.find((each) => each.version === version)!.integrity).toBe(hash);
      expect(['not released', hash]).toContain(released);
    },
  );

  it.each(['v0', 'v99', 'v1.1'])(
    'the service answers 404 for the element version %s, which never existed',
    async (version) => {
      expect((await api.http.get(`/embed/booking.${version}.js`)).status).toBe(404);
    },
  );
});
