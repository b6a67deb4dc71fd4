import { useTestApi } from '../../support/api';
import { describeInChromium } from '../../support/browsers';
import { givenTenant, givenTour } from '../../support/given';
import { givenWidgetToken } from '../given-widget';

describeInChromium('an embed page whose pictures cannot be loaded', (browser) => {
  const api = useTestApi();
  let token: string;

  beforeAll(async () => {
    const { db } = api;
    // The name is narrower than the icon.
    ({ token } = await givenWidgetToken(db, await givenTenant(db, { name: '.' })));
    await givenTour(db, { name: 'Alpine Huts' });
  });

  /**
   * Returns pixels at the top left of the card's picture, where a browser draws its icon for a failed picture. Leaves out the round
   * corner.
   */
  const look = async (imageUrl: string | null, javaScriptEnabled: boolean): Promise<string> => {
    await api.db('tours').update({ image_url: imageUrl });
    const context = await browser().newContext({ javaScriptEnabled, reducedMotion: 'reduce' });
    const page = await context.newPage();
    await page.goto(`${api.baseUrl}/embed/tours?token=${token}`, { waitUntil: 'networkidle' });
    const { x, y } = (await page.locator('.picture').boundingBox())!;
    const pixels = await page.screenshot({ clip: { x: x + 5, y: y + 5, width: 40, height: 40 } });
    await context.close();
    return pixels.toString('base64');
  };

  it.each([true, false])(
    'a card whose picture fails looks like a card without a picture (JavaScript: %s)',
    async (javaScriptEnabled) => {
      const placeholder = await look(null, javaScriptEnabled);
      expect(await look('/covers/there-is-none.svg', javaScriptEnabled)).toBe(placeholder);
      expect(await look('/covers/ha-long-bay-cruise.svg', javaScriptEnabled)).not.toBe(placeholder);
    },
  );

  it("the embed page shows the tenant's name instead of a logo that fails, without the browser's icon", async () => {
    await api.db('tenants').update({ brand_logo: 'https://127.0.0.1:1444/none.png' });
    const page = await browser().newPage();
    await page.goto(`${api.baseUrl}/embed/tours?token=${token}`, { waitUntil: 'networkidle' });
    const { x, y } = (await page.locator('.logo').boundingBox())!;
    const pixels = async (left: number) => {
      const picture = await page.screenshot({ clip: { x: left, y: y + 4, width: 8, height: 36 } });
      return picture.toString('base64');
    };
    const empty = await pixels(0);
    expect(await pixels(x + 8)).toBe(empty);
    expect(await pixels(x)).not.toBe(empty);
    await page.close();
  });
});
