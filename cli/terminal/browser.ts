import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

type Environment = Record<string, string | undefined>;

/** A program that cannot open a page ends within this time. A program that opens the page may run as long as the browser. */
const FAILS_WITHIN_MS = 1500;

/**
 * Opens a page in the browser of this desktop.
 * @returns false if there is no desktop, if no browser opens, or over SSH, because the browser would open on the wrong machine
 */
export async function openInBrowser(
  url: string,
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  if (!hasDesktop(env, platform)) return false;
  const [program, ...args] = openerOf(url, platform);
  const child = spawn(program, args, { env, detached: true, stdio: 'ignore' });
  const ended = new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
  child.unref();
  const waiting = new AbortController();
  const running = sleep(FAILS_WITHIN_MS, true, { signal: waiting.signal }).catch(() => true);
  const opened = await Promise.race([ended, running]);
  waiting.abort();
  return opened;
}

function hasDesktop(env: Environment, platform: NodeJS.Platform): boolean {
  if (env.SSH_CONNECTION || env.SSH_TTY) return false;
  return platform === 'darwin' || platform === 'win32' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

function openerOf(url: string, platform: NodeJS.Platform): [program: string, ...args: string[]] {
  if (platform === 'darwin') return ['open', url];
  // `start` takes its first quoted word as the title of a window.
  if (platform === 'win32') return ['cmd', '/c', 'start', '""', url];
  return ['xdg-open', url];
}
