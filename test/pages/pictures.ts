import { startChromium } from '../support/browsers';
import globalSetup, { stopServer } from '../support/global-setup';
import { takeElementPictures } from './element-pictures';
import { takeEmbedPictures } from './embed-pictures';
import { takeMonitorPicture } from './monitor-picture';
import { takeSitePictures } from './site-pictures';

/** `npm run lab -- pictures`: renews the pictures of docs/images. */
async function main(): Promise<void> {
  await globalSetup();
  const browser = await startChromium(['--hide-scrollbars']);
  try {
    await takeSitePictures(browser);
    await takeElementPictures(browser);
    await takeMonitorPicture(browser);
    await takeEmbedPictures(browser);
  } finally {
    await browser.close();
    await stopServer();
  }
}

void main();
