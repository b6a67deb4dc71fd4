import type { Browser } from 'playwright-core';
import { fillContact } from '../element/visit';
import { startDemoSite } from '../support/demo-site';
import { savePicture } from './save-picture';

const WINDOW = { width: 760, height: 1400 };

/** Takes the pictures of the steps of the element, on the page of a tour in the example shop. */
export async function takeElementPictures(browser: Browser): Promise<void> {
  const site = await startDemoSite();
  try {
    const page = await browser.newPage({ viewport: WINDOW, locale: 'en-GB' });
    await page.goto(`${site.shop}/trips/ha-long-bay-cruise`);
    await page.evaluate(
      "Object.assign(document.querySelector('tour-booking'), { seller: 'Acme Travel', next: undefined })",
    );
    const element = page.locator('tour-booking');
    await page.getByRole('grid').waitFor();
    // The first month may have few departures.
    await page.getByRole('button', { name: 'Next month' }).click();
    await savePicture(element, 'element-dates');

    await page.locator('[part=day]:not([aria-disabled=true])').first().click();
    await page.getByRole('button', { name: 'Adult: +1' }).click();
    await savePicture(page.locator('tour-booking [part=party]'), 'element-party');

    await page.getByRole('button', { name: 'Hold the seats' }).click();
    await fillContact(page);
    await savePicture(element, 'element-contact');

    await page.getByRole('button', { name: /^Book for/ }).click();
    await page.getByText(/^Reserved/).waitFor();
    await savePicture(element, 'element-booked');
    await page.close();
  } finally {
    await site.stop();
  }
}
