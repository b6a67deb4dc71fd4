import type { Browser } from 'playwright-core';
import { findTenant } from '../../services/api/tenants/manage-tenants';
import { startDemoSite } from '../support/demo-site';
import { givenWidgetToken } from '../widget/given-widget';
import { savePicture } from './save-picture';

const WINDOW = { width: 1280, height: 720 };
/** A picture of the reference with more text has over 150 KB. */
const REFERENCE_HEIGHT = 640;
const LIST = { width: 960, height: 560 };

/** Takes the pictures of the reference, of the example shop, and of the list of the demo tenant that sells in euros, in German. */
export async function takeSitePictures(browser: Browser): Promise<void> {
  const site = await startDemoSite();
  try {
    const page = await browser.newPage({ viewport: WINDOW });
    const take = async (address: string, name: string) => {
      await page.goto(address);
      await page.waitForLoadState('networkidle');
      await savePicture(page, name);
    };
    await page.setViewportSize({ ...WINDOW, height: REFERENCE_HEIGHT });
    await take(`${site.api}/docs#placeHold`, 'reference');
    await page.setViewportSize(WINDOW);
    await take(`${site.shop}/trips/ha-long-bay-cruise`, 'shop');
    const { db } = site.database;
    const { token } = await givenWidgetToken(db, await findTenant(db, 'demo-eur'));
    await page.setViewportSize(LIST);
    await take(
      `${site.api}/embed/tours?token=${token}&lang=de&limit=3&continent=europe`,
      'embed-german-euro',
    );
    await page.close();
  } finally {
    await site.stop();
  }
}
