import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { folderWithClient } from './packed-client';

/** The example of a tenant's website. */
export const SHOP_SOURCE = path.resolve(__dirname, '../../docs/examples/node-tenant');
const START_MS = 30_000;

export interface ShopSettings {
  /** The address of the API. */
  api: string;
  key: string;
  webhookSecret: string;
  port: number;
}

export interface ShopProcess {
  address: string;
  /** The copy of the example that runs. */
  folder: string;
  /** The variables that the README of the example exports. */
  environment: Record<string, string>;
  /** Returns its stdout so far. */
  output(): string;
  /** Returns its stderr so far. */
  complaints(): string;
  stop(): Promise<void>;
}

/**
 * Starts the example shop as its README says, in a copy of its folder, and waits until it answers. Uses the packages of the checkout, and
 * the client as npm packs it.
 * @param parent the folder in which the copy is made
 */
export async function startShop(
  parent: string,
  { api, key, webhookSecret, port }: ShopSettings,
): Promise<ShopProcess> {
  const folder = await folderWithClient(parent);
  await cp(SHOP_SOURCE, folder, { recursive: true });
  const environment = {
    API: api,
    KEY: key,
    WEBHOOK_SECRET: webhookSecret,
    SECRET: 's'.repeat(32),
    PORT: `${port}`,
  };
  const shop = spawn('npm', ['start'], {
    cwd: folder,
    env: { ...process.env, ...environment },
    detached: true,
  });
  let [output, complaints] = ['', ''];
  shop.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  shop.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  const stop = async () => {
    const ended = once(shop, 'exit');
    // npm starts the shop as a child: the signal goes to the group of both.
    process.kill(-shop.pid!, 'SIGKILL');
    await ended;
  };
  const address = `http://127.0.0.1:${port}`;
  for (const until = Date.now() + START_MS; !(await fetch(address).catch(() => undefined)); await sleep(50)) {
    if (Date.now() < until) continue;
    await stop();
    throw new Error(`The shop did not start: ${complaints}`);
  }
  return { address, folder, environment, output: () => output, complaints: () => complaints, stop };
}
