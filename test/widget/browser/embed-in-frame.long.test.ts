import http from 'node:http';
import { useTestApi } from '../../support/api';
import { describeInChromium } from '../../support/browsers';
import { givenTenant, givenTour } from '../../support/given';
import { listen } from '../../support/listen';
import { eventually } from '../../webhook-queue/queue-fixture';
import { givenWidgetToken, SHOP } from '../given-widget';

describeInChromium('the embed page in a frame', (browser) => {
  const api = useTestApi();

  it('the page sends its site messages when it is ready, has a new height, and a tour is clicked', async () => {
    const { db } = api;
    const host = http.createServer((_request, response) =>
      response.setHeader('content-type', 'text/html').end(HOST),
    );
    const origin = `http://localhost:${await listen(host, 'localhost')}`;
    const { slug: alpine } = await givenTour(db, { name: 'Alpine Huts' });
    const tenant = await givenTenant(db, { linkTemplate: 'https://shop.example.com/tours/{slug}' });
    const framed = await givenWidgetToken(db, tenant, { origins: [origin, SHOP], dev: true });
    const HOST = `<iframe></iframe><script>
      self.heard = [];
      addEventListener('message', ({ data, origin }) => heard.push({ ...data, origin }));
      document.querySelector('iframe').src = '${api.baseUrl}/embed/tours?q=alpine&token=${framed.token}';
    </script>`;
    const context = await browser().newContext();
    const page = await context.newPage();
    // Answers 204, so that the click does not leave the page.
    await page.route('https://shop.example.com/**', (route) => route.fulfill({ status: 204 }));
    await page.goto(origin);
    const heard = (type: string) =>
      eventually(type, async () => {
        const all = await page.evaluate<{ type: string; height?: number }[]>('self.heard');
        return all.find((message) => message.type === type);
      });

    expect(await heard('svc:ready')).toEqual({ type: 'svc:ready', v: 1, origin: api.baseUrl });
    const { height } = await heard('svc:resize');
    expect(height).toBeGreaterThan(400);
    await page.frameLocator('iframe').getByRole('link', { name: 'Alpine Huts' }).click();
    expect(await heard('svc:tour-click')).toEqual({
      type: 'svc:tour-click',
      v: 1,
      slug: alpine,
      url: `https://shop.example.com/tours/${alpine}`,
      origin: api.baseUrl,
    });
    await context.close();
    host.closeAllConnections();
    await new Promise((resolve) => host.close(resolve));
  });
});
