import { describeInChromium } from '../support/browsers';
import { type DemoSite, startDemoSite } from '../support/demo-site';
import { preparedBeforeAll } from '../support/prepared';
import { measurePage, pagesOf } from './lighthouse';

const LARGEST_PAGE = 450 * 1024;

/** The score for performance is measured by `npm run lab -- lighthouse`: it depends on the machine. Here are its causes. */
describeInChromium('Lighthouse', () => {
  const site: DemoSite = preparedBeforeAll(startDemoSite);
  afterAll(() => site.stop?.());

  it.each(['the embed page', '/docs', '/docs/guide/selling', 'the list of the shop', 'a tour of the shop'])(
    'Lighthouse scores %s with 95 or more for accessibility and best practices, and finds no cause to be slow',
    async (name) => {
      const [, address] = pagesOf(site).find(([title]) => title === name)!;
      const figures = await measurePage(address);
      expect(figures.failed).toEqual([]);
      expect(figures.accessibility).toBeGreaterThanOrEqual(95);
      expect(figures.bestPractices).toBeGreaterThanOrEqual(95);
      const hosts = figures.requests
        .filter((url) => !url.startsWith('data:'))
        .map((url) => new URL(url).hostname);
      expect([...new Set(hosts)]).toEqual(['127.0.0.1']);
      expect(figures.bytes).toBeLessThanOrEqual(LARGEST_PAGE);
      expect(figures.requests.length).toBeLessThanOrEqual(30);
      expect(figures.layoutShift).toBeLessThanOrEqual(0.1);
      expect(figures.renderBlocking.filter((url) => !url.endsWith('.css'))).toEqual([]);
    },
    240_000,
  );

  it('no page is larger than 450 KiB before compression', async () => {
    for (const [name, address] of pagesOf(site)) {
      const { byteLength } = await (await fetch(address)).arrayBuffer();
      expect({ name, isSmall: byteLength <= LARGEST_PAGE }).toEqual({ name, isSmall: true });
    }
  });
});
