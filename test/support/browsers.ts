import { type Browser, chromium } from 'playwright-core';
import { describeWith } from './describe-with';

export const CHROMIUM = '/usr/bin/chromium';

/** @param flags of the command line, such as --host-resolver-rules=… */
export function startChromium(flags: string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    // The sandbox needs rights that containers do not have. The tests load no foreign pages.
    args: ['--no-sandbox', '--disable-dev-shm-usage', ...flags],
  });
}

/** Declares a suite with one started browser. Without Chromium the suite is skipped, and the end of the run names it. */
export function describeInChromium(
  title: string,
  suite: (browser: () => Browser) => void,
  flags: string[] = [],
): void {
  describeWith('chromium', title, () => {
    let browser: Browser | undefined;
    beforeAll(async () => void (browser = await startChromium(flags)), 60_000);
    afterAll(async () => browser?.close());
    suite(() => browser!);
  });
}
