import { type Browser, chromium, firefox } from 'playwright-core';
import { describeWith, isInstalled } from './describe-with';

const SHELL = 'chromium-headless-shell';
/**
 * Chromium without a user interface, where it is installed; it is built from the same sources. A page in a new context costs it 0.14 s
 * of CPU, and Chromium 0.59 s, because Chromium draws a window for each page.
 */
export const CHROMIUM = isInstalled(SHELL) ? `/usr/bin/${SHELL}` : '/usr/bin/chromium';

/** @param flags of the command line, such as --host-resolver-rules=… */
export function startChromium(flags: string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    // The sandbox needs rights that containers do not have. The tests load no foreign pages.
    args: ['--no-sandbox', '--disable-dev-shm-usage', ...flags],
  });
}

/**
 * Starts the Firefox of the system, by WebDriver BiDi. A context cannot emulate media there: forcedColors, colorScheme, reducedMotion.
 * playwright-core stays at 1.64: later versions send a command that Firefox ESR 153 does not know (emulation.setMediaFeaturesOverride).
 */
function startFirefox(): Promise<Browser> {
  return firefox.launch({ channel: 'moz-firefox', executablePath: '/usr/bin/firefox-esr' });
}

/** Declares a suite with one started Chromium. Without Chromium the suite is skipped, and the end of the run names it. */
export function describeInChromium(
  title: string,
  suite: (browser: () => Browser) => void,
  flags: string[] = [],
): void {
  describeInBrowser('chromium', title, suite, () => startChromium(flags));
}

/** Declares a suite once for each browser of visitors, with one started browser. It is skipped in a browser that is not installed. */
export function describeInBrowsers(title: string, suite: (browser: () => Browser) => void): void {
  describeInBrowser('chromium', `${title}, in Chromium`, suite, () => startChromium());
  describeInBrowser('firefox-esr', `${title}, in Firefox`, suite, startFirefox);
}

function describeInBrowser(
  program: string,
  title: string,
  suite: (browser: () => Browser) => void,
  start: () => Promise<Browser>,
): void {
  describeWith(program, title, () => {
    let browser: Browser | undefined;
    beforeAll(async () => void (browser = await start()), 60_000);
    afterAll(async () => browser?.close());
    suite(() => browser!);
  });
}
