import { startTestApi, type TestApi } from '../../support/api';
import { describeInChromium } from '../../support/chromium';
import { givenTenant, givenTour } from '../../support/given';
import { givenWidgetToken } from '../given-widget';

describeInChromium('a card whose picture cannot be loaded', (browser) => {
  let api: TestApi;
  let token: string;

  beforeAll(async () => {
    api = await startTestApi();
    const { db } = api.context;
    ({ token } = await givenWidgetToken(db, await givenTenant(db)));
    await givenTour(db, { name: 'Alpine Huts' });
  });
  afterAll(() => api.stop());

  /** The pixels at the start of the card's picture, where a browser puts its icon, without the round corner. */
  const look = async (imageUrl: string | null, javaScriptEnabled: boolean): Promise<string> => {
    await api.context.db('tours').update({ image_url: imageUrl });
    const context = await browser().newContext({ javaScriptEnabled, reducedMotion: 'reduce' });
    const page = await context.newPage();
    await page.goto(`${api.baseUrl}/embed/tours?token=${token}`, { waitUntil: 'networkidle' });
    const { x, y } = (await page.locator('.picture').boundingBox())!;
    const pixels = await page.screenshot({ clip: { x: x + 5, y: y + 5, width: 40, height: 40 } });
    await context.close();
    return pixels.toString('base64');
  };

  it.each([true, false])(
    'looks like a card without a picture, with JavaScript on or off: %s',
    async (javaScriptEnabled) => {
      const placeholder = await look(null, javaScriptEnabled);
      expect(await look('/covers/there-is-none.svg', javaScriptEnabled)).toBe(placeholder);
      expect(await look('/covers/ha-long-bay-cruise.svg', javaScriptEnabled)).not.toBe(placeholder);
    },
  );
});
