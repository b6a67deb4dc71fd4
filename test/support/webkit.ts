import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describeWith, isInstalled } from './describe-with';
import { freePorts } from './free-ports';

/*
 * Drives WebKitGTK, the engine of Safari, by WebDriver (W3C). Playwright only drives a build of WebKit that it downloads. The few commands of a
 * purchase are a dozen lines with fetch, so no client of WebDriver is a dependency.
 */

/** The browser comes with the library, in a folder of the machine's architecture. */
const MINI_BROWSER = readdirSync('/usr/lib')
  .map((folder) => path.join('/usr/lib', folder, 'webkit2gtk-4.1/MiniBrowser'))
  .find(existsSync);
/** The names of the packages, and whether they are installed. */
const PACKAGES = {
  'webkit2gtk-driver': MINI_BROWSER !== undefined && isInstalled('WebKitWebDriver'),
  xvfb: isInstalled('Xvfb'),
};
/** The name under which WebDriver sends the id of an element. */
const ELEMENT_ID = 'element-6066-11e4-a52e-4f735466cecf';
const WAIT_MS_MAX = 30_000;

/** A field or button that a script has found. */
export type FoundElement = Record<typeof ELEMENT_ID, string>;

/** Declares a suite with one started WebKit. Without it the suite is skipped, and the end of the run names the missing package. */
export function describeInWebKit(title: string, suite: (page: () => WebKitPage) => void): void {
  const [missing] = Object.entries(PACKAGES).filter(([, installed]) => !installed);
  const [program] = missing ?? ['webkit2gtk-driver'];
  describeWith(
    program,
    title,
    () => {
      let page: WebKitPage | undefined;
      beforeAll(async () => void (page = await WebKitPage.start()), 60_000);
      afterAll(async () => page?.stop());
      suite(() => page!);
    },
    missing === undefined,
  );
}

/** A window of WebKit on a display of its own. */
export class WebKitPage {
  private constructor(
    private readonly session: string,
    private readonly processes: ChildProcess[],
  ) {}

  static async start(): Promise<WebKitPage> {
    const processes: ChildProcess[] = [];
    try {
      const address = await startDriver(processes);
      await until('an answer of its driver', () => command(`${address}/status`).catch(() => undefined));
      const options = { binary: MINI_BROWSER, args: ['--automation'] };
      const wanted = { capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } } };
      const { sessionId } = await command<{ sessionId: string }>(`${address}/session`, wanted);
      return new WebKitPage(`${address}/session/${sessionId}`, processes);
    } catch (error) {
      await endAll(processes);
      throw error;
    }
  }

  async open(url: string): Promise<void> {
    await command(`${this.session}/url`, { url });
  }

  url(): Promise<string> {
    return command(`${this.session}/url`);
  }

  /** Runs the body of a function in the page. @returns what it returns */
  run<T>(script: string): Promise<T> {
    return command(`${this.session}/execute/sync`, { script, args: [] });
  }

  /** Waits until a script returns an element. @param what names it in an error */
  find(what: string, script: string): Promise<FoundElement> {
    // A page that is being left has no document to ask.
    return until(what, () => this.run<FoundElement | null>(script).catch(() => null));
  }

  async waitForUrl(form: RegExp): Promise<void> {
    await until(`the address ${form}`, async () => form.test(await this.url()));
  }

  /** Clicks with the mouse, after a scroll to the element. */
  async click(found: FoundElement): Promise<void> {
    await command(`${this.session}/element/${found[ELEMENT_ID]}/click`, {});
  }

  /** Types with the keyboard. */
  async type(found: FoundElement, text: string): Promise<void> {
    await command(`${this.session}/element/${found[ELEMENT_ID]}/value`, { text });
  }

  /** Closes the window, and ends the driver and the display. */
  async stop(): Promise<void> {
    await fetch(this.session, { method: 'DELETE' });
    await endAll(this.processes);
  }
}

/** Starts a display and a driver that opens windows on it. @param processes gets both @returns the address of the driver */
async function startDriver(processes: ChildProcess[]): Promise<string> {
  const screen = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  processes.unshift(screen);
  const [display] = await once(screen.stdio[3]!, 'data');
  const [port] = await freePorts();
  const driver = spawn('WebKitWebDriver', ['--host=127.0.0.1', `--port=${port}`], {
    stdio: 'ignore',
    env: { ...process.env, DISPLAY: `:${String(display).trim()}` },
  });
  processes.unshift(driver);
  return `http://127.0.0.1:${port}`;
}

async function endAll(processes: ChildProcess[]): Promise<void> {
  for (const one of processes) {
    const ended = once(one, 'exit');
    if (one.kill()) await ended;
  }
}

/** Sends a command of WebDriver. @param body of a POST; without one it is a GET. @throws Error with the driver's message */
async function command<T>(url: string, body?: object): Promise<T> {
  const request = body && { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(url, request);
  const { value } = (await response.json()) as { value: T & { error?: string; message?: string } };
  if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
  return value;
}

/** Looks until there is something. @throws Error after half a minute */
async function until<T>(what: string, look: () => Promise<T | null | undefined | false>): Promise<T> {
  const end = Date.now() + WAIT_MS_MAX;
  while (Date.now() < end) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`WebKit does not show ${what}.`);
}
