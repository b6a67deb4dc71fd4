import { useTestApi } from '../support/api';
import { expectProblem } from '../support/responses';

const api = useTestApi();

describe('GET /covers/{slug}.svg', () => {
  it('GET /covers/{slug}.svg serves a cover of the demo catalog, with a header that lets pages of other origins show it', async () => {
    const cover = await api.http.get('/covers/ha-long-bay-cruise.svg').buffer(true);
    expect(cover.status).toBe(200);
    expect(cover.headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'cache-control': 'public, max-age=86400',
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect(String(cover.body)).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  });

  it.each([
    'atlantis.svg',
    'ha-long-bay-cruise.png',
    '..%2fdemo-tours.json',
    '..%2f..%2fpackage.json',
    '.svg',
  ])('GET /covers/{slug}.svg answers 404 for %s, which is not a cover', async (file) => {
    expectProblem(await api.http.get(`/covers/${file}`), 404, 'not_found');
  });
});
