/**
 * Starts the product like a new user: `npm start`, the three printed curl lines, kill -9 of the API, Ctrl-C. Then starts the product
 * again, kills it with kill -9, and repeats the curl lines and Ctrl-C. `npm run smoke` runs this.
 */
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePorts, isListening } from '../support/free-ports';
import { Start } from './start';

const dataDir = mkdtempSync(path.join(tmpdir(), 'tour-platform-smoke-'));
const cluster = path.join(dataDir, 'pg18');
let passed = 0;

async function main(): Promise<void> {
  // The database server runs as another account when root runs this.
  chmodSync(dataDir, 0o755);
  const [api, queue, metrics] = await freePorts();
  const env = {
    DATA_DIR: dataDir,
    API_PORT: String(api),
    WEBHOOK_QUEUE_PORT: String(queue),
    METRICS_PORT: String(metrics),
  };
  const nobodyListens = async () => !(await isListening(api)) && !(await isListening(queue));

  const first = new Start(env);
  await step('a first start prints three curl lines', () => first.ready());
  await step('the demo key is kept for the owner alone', () => {
    assert((statSync(path.join(dataDir, 'demo.json')).mode & 0o777) === 0o600, 'demo.json must be 0600');
  });
  await tryCurlLines(first);
  await step('a killed API is named with its signal and started again', async () => {
    process.kill(first.pidOf('services/api/main'), 'SIGKILL');
    await until(
      () => first.said(/The api was killed by SIGKILL; it is started again in 1 s/),
      'it is not named',
    );
    await until(() => isListening(api), 'the API is not started again');
  });
  await step('Ctrl-C stops everything', async () => {
    await first.ctrlC();
    await until(nobodyListens, 'a service still listens');
    await until(() => databasePid() === undefined, 'the database still runs');
  });

  await step('an operator changes the demo, and a start still welcomes with what there is', async () => {
    await tourctl(env, 'visibility', 'deny', 'demo', '--tour', 'ha-long-bay-cruise', '--yes');
    const changed = new Start(env);
    await changed.ready();
    assert(!changed.curlLines().join().includes('ha-long-bay-cruise'), 'a curl line names a hidden tour');
    await tourctl(env, 'visibility', 'clear', 'demo', '--tour', 'ha-long-bay-cruise', '--yes');
    await changed.ctrlC();
    await until(nobodyListens, 'a service still listens');
  });

  const killed = new Start(env);
  await step('a later start is ready too', () => killed.ready());
  await step('kill -9 ends both services', async () => {
    await killed.kill();
    await until(nobodyListens, 'a service still listens');
  });

  const last = new Start(env);
  await step('a start after kill -9 is ready', () => last.ready());
  await tryCurlLines(last);
  await step('Ctrl-C stops everything again, the database too', async () => {
    await last.ctrlC();
    await until(nobodyListens, 'a service still listens');
    await until(() => databasePid() === undefined, 'the database still runs');
  });
}

async function tryCurlLines(start: Start): Promise<void> {
  const lines = start.curlLines();
  const answers: Record<string, unknown>[] = [];
  for (const [index, line] of lines.entries()) {
    await step(`curl line ${index + 1} works as printed`, async () => {
      const { stdout } = await promisify(execFile)('bash', ['-c', line], { timeout: 10_000 });
      // Also accepts `curl -i`: the body begins with a brace.
      answers.push(JSON.parse(stdout.slice(stdout.indexOf('{'))) as Record<string, unknown>);
    });
  }
  const [catalog, hold, booking] = answers;
  await step('they read the catalog, hold two seats and make a booking', () => {
    assert(Array.isArray(catalog?.items) && catalog.items.length > 0, 'the catalog has no items');
    assert(
      hold?.ok === true && hold.status === 'active' && hold.quantity === 2,
      `no hold: ${JSON.stringify(hold)}`,
    );
    assert(
      booking?.ok === true && booking.status === 'pending_payment',
      `no booking: ${JSON.stringify(booking)}`,
    );
    assert(typeof booking?.booking_ref === 'string', 'the booking has no reference');
  });
}

async function tourctl(env: Record<string, string>, ...args: string[]): Promise<void> {
  await promisify(execFile)(process.execPath, ['cli/tourctl.js', ...args], {
    env: { ...process.env, ...env },
  });
}

/** Returns the server of the cluster, if there is one. */
function databasePid(): number | undefined {
  const file = path.join(cluster, 'postmaster.pid');
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0;
  return pid > 0 ? pid : undefined;
}

async function until(holds: () => boolean | Promise<boolean>, otherwise: string): Promise<void> {
  for (const end = Date.now() + 10_000; Date.now() < end;) {
    if (await holds()) return;
    await pause(100);
  }
  throw new Error(otherwise);
}

async function step(fact: string, work: () => unknown): Promise<void> {
  const begun = Date.now();
  try {
    await work();
  } catch (error) {
    process.stdout.write(`not ok  ${fact}\n`);
    throw error;
  }
  passed++;
  process.stdout.write(`ok  ${fact} (${Date.now() - begun} ms)\n`);
}

function assert(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

async function cleanUp(): Promise<void> {
  await Start.killAll();
  const pid = databasePid();
  if (pid) process.kill(pid, 'SIGQUIT');
  await until(() => databasePid() === undefined, 'the database does not stop').catch(() => undefined);
  // If the account of the server cannot enter a parent directory, the cluster is a link to a directory elsewhere.
  if (existsSync(cluster)) rmSync(realpathSync(cluster), { recursive: true, force: true });
  rmSync(dataDir, { recursive: true, force: true });
}

main()
  .catch((error: unknown) => {
    process.stdout.write(
      `${Start.lastOutput()}\n${error instanceof Error ? error.message : String(error)}\n`,
    );
    process.exitCode = 1;
  })
  .finally(cleanUp)
  .finally(() => process.stdout.write(`smoke: ${passed} passed, ${process.exitCode ? 1 : 0} failed\n`));
