import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../support/free-ports';
import { SERVICE_ENTRY } from '../support/service-entry';
import { describeWithSmallDisks, mountSmallDisk, removeSmallDisks } from '../support/small-disk';
import { useTestDatabase } from '../support/database';

const PLATFORM = path.resolve(__dirname, '../../dist/services/platform');

/** Logs 100 lines of 100 bytes every 5 ms, and answers each message of its parent. */
const SERVICE = `
  const { createLogger } = require(${JSON.stringify(`${PLATFORM}/logger.js`)});
  const { onShutdown, runService } = require(${JSON.stringify(`${PLATFORM}/service.js`)});
  runService('api', 'API_PORT', async () => {
    const log = createLogger('info', 'api');
    onShutdown(log, 10000, async () => {});
    let n = 0;
    setInterval(() => { for (let i = 0; i < 100; i++) log.info({ n: n++ }, '${'x'.repeat(60)}'); }, 5);
    process.on('message', () => process.send('alive'));
    process.send('started');
  });`;

const LOST = /^api: the log cannot be written \((.*)\)\. Lines are lost until it can\.\n$/;

let child: ChildProcess | undefined;
afterEach(() => void child?.kill('SIGKILL'));
afterAll(removeSmallDisks);

interface Logging {
  process: ChildProcess;
  stderr: () => string;
}

/** Starts the service. @param stdout a file descriptor, or `pipe` @param fileBlocks limit of a file's size, in blocks of 1,024 bytes */
async function startLogging(stdout: number | 'pipe', fileBlocks?: number): Promise<Logging> {
  const limit = fileBlocks === undefined ? '' : `ulimit -f ${fileBlocks}; `;
  const started = spawn('bash', ['-c', `${limit}exec "$0" -e "$1"`, process.execPath, SERVICE], {
    stdio: ['ignore', stdout, 'pipe', 'ipc'],
  });
  child = started;
  let stderr = '';
  started.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  await once(started, 'message');
  return { process: started, stderr: () => stderr };
}

/** Waits until the condition holds. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(10);
}

/** Checks that the service answers, says once what is wrong with its log, and ends with exit code 0 on SIGTERM. */
async function expectUnharmed({ process: service, stderr }: Logging, reason: RegExp): Promise<void> {
  await until(() => stderr() !== '');
  service.send('are you alive?');
  expect((await once(service, 'message'))[0]).toBe('alive');
  await sleep(1500);
  expect(LOST.exec(stderr())?.[1]).toMatch(reason);
  service.kill('SIGTERM');
  expect(await once(service, 'exit')).toEqual([0, null]);
}

describe('a log that cannot be written', () => {
  it('a service whose log is on a full device continues, and ends on SIGTERM', async () => {
    const full = openSync('/dev/full', 'w');
    await expectUnharmed(await startLogging(full), /ENOSPC/);
    closeSync(full);
  });

  it('a service whose log has reached the largest allowed size continues, and ends on SIGTERM', async () => {
    const directory = mkdtempSync(path.join(os.tmpdir(), 'log-'));
    const file = openSync(path.join(directory, 'api.log'), 'w');
    await expectUnharmed(await startLogging(file, 8), /EFBIG/);
    closeSync(file);
    rmSync(directory, { recursive: true });
  });

  it('a service whose log reader is gone continues, and ends on SIGTERM', async () => {
    const logging = await startLogging('pipe');
    logging.process.stdout!.destroy();
    await expectUnharmed(logging, /EPIPE/);
  });

  it('a service whose log reader pauses continues, and ends on SIGTERM', async () => {
    const logging = await startLogging('pipe');
    logging.process.stdout!.pause();
    await expectUnharmed(logging, /its reader is too slow/);
  });

  it('a log reader that pauses for a moment gets each line once, and the number of dropped lines', async () => {
    const logging = await startLogging('pipe');
    const { stdout } = logging.process;
    stdout!.pause();
    await until(() => logging.stderr() !== '');
    let log = '';
    stdout!.on('data', (chunk: Buffer) => (log += chunk.toString())).resume();
    await until(() => log.includes('log lines were dropped'));
    logging.process.kill('SIGTERM');
    await once(logging.process, 'close');
    const lines = log
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { n?: number; msg: string; lines?: number });
    const numbers = lines.flatMap(({ n }) => (n === undefined ? [] : [n]));
    const dropped = lines
      .filter(({ msg }) => msg === 'log lines were dropped')
      .reduce((sum, line) => sum + line.lines!, 0);
    expect(new Set(numbers).size).toBe(numbers.length);
    // The last numbers may be among the dropped ones.
    const isEndDropped = lines.at(-2)!.msg === 'log lines were dropped';
    const missing = Math.max(...numbers) + 1 - numbers.length;
    expect(isEndDropped ? Math.min(dropped, missing) : dropped).toBe(missing);
    expect(lines.at(-1)!.msg).toBe('stopping');
  });
});

describeWithSmallDisks('a disk that is full for some time', () => {
  it('a service writes its log again when the disk has space, with complete lines', async () => {
    const directory = mountSmallDisk(4);
    const name = path.join(directory, 'api.log');
    const ballast = path.join(directory, 'ballast');
    writeFileSync(ballast, Buffer.alloc(4 * 1024 * 1024 - 16 * 1024));
    const file = openSync(name, 'w');
    const logging = await startLogging(file);
    await until(() => logging.stderr() !== '');
    const full = statSync(name).size;
    rmSync(ballast);
    await until(() => statSync(name).size > full);
    logging.process.kill('SIGTERM');
    await once(logging.process, 'exit');
    closeSync(file);
    const lines = readFileSync(name, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => typeof JSON.parse(line))).not.toContain('string');
    expect(lines.at(-1)).toContain('stopping');
  });
});

describe('the services with a log that cannot be written', () => {
  const database = useTestDatabase();

  it.each(['api', 'webhook-queue'] as const)(
    'the %s answers 300 requests while its log is on a full device, and ends on SIGTERM',
    async (name) => {
      const full = openSync('/dev/full', 'w');
      const [api, queue, metrics] = await freePorts();
      const service = spawn(process.execPath, [SERVICE_ENTRY[name]], {
        stdio: ['ignore', full, full, 'ipc'],
        env: {
          ...process.env,
          DATABASE_URL: database.url,
          API_PORT: `${api}`,
          WEBHOOK_QUEUE_PORT: `${queue}`,
          METRICS_PORT: `${metrics}`,
          SECRETS_KEY: 's'.repeat(32),
          CURSOR_KEY: 'c'.repeat(32),
        },
      });
      child = service;
      await once(service, 'message');
      const port = name === 'api' ? api : queue;
      for (let n = 0; n < 300; n++) {
        const answer = await fetch(`http://127.0.0.1:${port}/healthz?n=${n}`);
        expect(answer.status).toBe(200);
        await answer.arrayBuffer();
      }
      service.kill('SIGTERM');
      expect(await once(service, 'exit')).toEqual([0, null]);
      closeSync(full);
    },
  );
});
