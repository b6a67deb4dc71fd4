import { type Browser, chromium } from 'playwright-core';
import { describeWith } from './describe-with';

const EXECUTABLE = '/usr/bin/chromium';

/** @param flags of the command line, such as --host-resolver-rules=… */
export function startChromium(flags: string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: EXECUTABLE,
    // Its sandbox needs rights that containers do not give, and the pages are ours.
    args: ['--no-sandbox', '--disable-dev-shm-usage', ...flags],
  });
}

/** A suite in a real browser, which is started once for it; left out, and named, where there is none. */
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
