import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runOnce } from './run-once';
import { TOURCTL } from './terminal';

let dataDir: string;
const fileOf = (name: string) => path.join(dataDir, 'logs', name);
const logs = (line = '', columns?: number) =>
  runOnce(`logs ${line}`.trim(), {
    env: { DATA_DIR: dataDir },
    ...(columns && { screen: { columns, colors: false } }),
  });

beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'logs-'));
  mkdirSync(path.join(dataDir, 'logs'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const START = Date.parse('2026-11-22T10:00:00.000Z');
const at = (second: number) => new Date(START + second * 1000).toISOString();
const line = (second: number, fields: object = {}, service = 'api') =>
  `${JSON.stringify({ level: 'info', time: at(second), service, pid: 7, msg: `line ${second}`, ...fields })}\n`;
const messages = (stdout: string) => [...stdout.matchAll(/line (\d+)/g)].map(([, second]) => Number(second));

describe('tourctl logs', () => {
  it('tourctl logs shows the lines of both services in order of time, with the important fields', async () => {
    const request = {
      request_id: 'req-1',
      client: '10.0.0.0/24',
      method: 'GET',
      route: '/api/tenant/catalog',
      status: 404,
    };
    const more = { code: 'tour_not_found', duration_ms: 3.4, tenant: 'acme', msg: 'request' };
    const err = { type: 'Error', code: 'ECONNREFUSED', message: 'connect', stack: '    at one\n    at two' };
    writeFileSync(
      fileOf('api.log'),
      line(1, { ...request, ...more }) + line(3, { level: 'error', err, msg: 'failed' }),
    );
    writeFileSync(fileOf('webhook-queue.log'), line(2, { reason: 'a pause' }, 'webhook-queue'));
    const { code, stdout } = await logs();
    expect([code, stdout.split('\n')]).toEqual([
      0,
      [
        '2026-11-22 (UTC)',
        '10:00:01.000 info  api   GET /api/tenant/catalog 404 3.4 ms code=tour_not_found tenant=acme client=10.0.0.0/24 request_id=req-1',
        '10:00:02.000 info  queue line 2 reason="a pause"',
        '10:00:03.000 error api   failed: Error (ECONNREFUSED): connect',
        '    at one',
        '    at two',
        '',
      ],
    ]);
  });

  it('tourctl logs shows the last 100 lines of current and rotated files', async () => {
    const lines = Array.from({ length: 150 }, (_, second) => line(second));
    writeFileSync(fileOf('api.log.2'), lines.slice(0, 80).join(''));
    writeFileSync(fileOf('api.log.1'), lines.slice(80, 140).join(''));
    writeFileSync(fileOf('api.log'), lines.slice(140).join(''));
    expect(messages((await logs()).stdout)).toEqual(Array.from({ length: 100 }, (_, i) => 50 + i));
  });

  it('tourctl logs shows only complete lines when it reads the end of a long log', async () => {
    const padding = 'x'.repeat(4000);
    const lines = Array.from({ length: 150 }, (_, second) => line(second, { padding }));
    writeFileSync(fileOf('api.log.1'), lines.slice(0, 75).join(''));
    writeFileSync(fileOf('api.log'), lines.slice(75).join(''));
    const { stdout } = await logs('--json');
    const shown = stdout
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text).msg as string);
    expect(shown.length).toBeGreaterThan(50);
    expect(shown).toEqual(lines.slice(-shown.length).map((text) => JSON.parse(text).msg as string));
  });

  it('tourctl logs shows every line from --since on, even from rotated files', async () => {
    const lines = Array.from({ length: 300 }, (_, second) => line(second));
    writeFileSync(fileOf('api.log.1'), lines.slice(0, 200).join(''));
    writeFileSync(fileOf('api.log'), lines.slice(200).join(''));
    expect(messages((await logs(`--since ${at(100)}`)).stdout)).toEqual(
      Array.from({ length: 200 }, (_, i) => 100 + i),
    );
  });

  it('tourctl logs shows one service with --service, and refuses an unknown name', async () => {
    writeFileSync(fileOf('api.log'), line(1));
    writeFileSync(fileOf('webhook-queue.log'), line(2, {}, 'webhook-queue'));
    expect(messages((await logs('--service queue')).stdout)).toEqual([2]);
    expect(messages((await logs('--service api')).stdout)).toEqual([1]);
    expect((await logs('--service web')).code).toBe(2);
  });

  it('tourctl logs prints lines unchanged with --json, and wraps text that is no JSON in a document', async () => {
    writeFileSync(fileOf('api.log'), `${line(1)}node: out of memory\n${line(2)}`);
    const { stdout, stderr } = await logs('--json');
    expect(stdout).toBe(`${line(1)}{"service":"api","text":"node: out of memory"}\n${line(2)}`);
    expect(stderr).toBe('');
    expect((await logs()).stdout).toContain('10:00:01.000 text  api   node: out of memory\n');
  });

  it('tourctl logs writes no control character of a log to a terminal', async () => {
    writeFileSync(fileOf('api.log'), line(1, { msg: 'red \u001b[31m text' }));
    for (const flags of ['', '--json']) expect((await logs(flags)).stdout).not.toContain('\u001b');
  });

  it.each([60, 80, 160])(
    'tourctl logs breaks long lines between words on a screen of %i columns',
    async (columns) => {
      const request_id = '3f0a7c52-9f7e-4b8a-8d8f-0d8b0a5c1e11';
      writeFileSync(
        fileOf('api.log'),
        line(1, {
          method: 'POST',
          route: '/api/gateway/tours/:id_or_slug/hold',
          status: 201,
          duration_ms: 9,
          request_id,
        }),
      );
      const { stdout } = await logs('', columns);
      expect(stdout).toContain(`request_id=${request_id}`);
      for (const shown of stdout.split('\n')) expect(shown.length).toBeLessThanOrEqual(columns);
    },
  );

  it('tourctl logs indents further lines of a message, so that none looks like a line of the log', async () => {
    const err = { type: 'Error', message: 'one\r\n10:00:09.000 fatal api  two', stack: 5 };
    writeFileSync(fileOf('api.log'), line(1, { msg: 'first\n10:00:08.000 fatal api  forged', err }));
    const { code, stdout } = await logs();
    expect([code, stdout.split('\n')]).toEqual([
      0,
      [
        '2026-11-22 (UTC)',
        '10:00:01.000 info  api   first',
        '    10:00:08.000 fatal api  forged: Error: one',
        '    10:00:09.000 fatal api  two',
        '',
      ],
    ]);
  });

  it('tourctl logs names the folder of the logs if no log exists', async () => {
    const { code, error } = await logs('--json');
    expect([code, error.code]).toEqual([1, 'no_logs']);
    expect(error.message).toContain(path.join(dataDir, 'logs'));
    writeFileSync(fileOf('api.log'), line(1));
    const later = await logs(`--since ${at(100)}`);
    expect([later.code, later.stdout, later.stderr]).toEqual([0, '', 'No lines\n']);
  });
});

describe('tourctl logs --follow', () => {
  /** Follows the logs in a process until `stop`. */
  function follow(flags: string[] = []) {
    const child = spawn(process.execPath, [TOURCTL, 'logs', '--follow', '--json', ...flags], {
      env: { PATH: process.env.PATH, DATA_DIR: dataDir },
    });
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    const see = async (last: number) => {
      for (const deadline = Date.now() + 20_000; Date.now() < deadline;) {
        if (messages(stdout).includes(last)) return messages(stdout);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw new Error(`never shown: line ${last}\n${stdout}`);
    };
    const stop = async () => {
      const begun = Date.now();
      child.kill('SIGINT');
      const [code] = (await once(child, 'close')) as [number];
      return { code, milliseconds: Date.now() - begun };
    };
    return { see, stop };
  }

  it('tourctl logs --follow shows each new line once over two rotations, and exits with 130 at Ctrl-C', async () => {
    writeFileSync(fileOf('api.log'), line(1));
    const followed = follow();
    await followed.see(1);
    appendFileSync(fileOf('api.log'), line(2));
    await followed.see(2);
    for (const second of [3, 5]) {
      appendFileSync(fileOf('api.log'), line(second));
      if (second === 5) renameSync(fileOf('api.log.1'), fileOf('api.log.2'));
      renameSync(fileOf('api.log'), fileOf('api.log.1'));
      appendFileSync(fileOf('api.log'), line(second + 1));
    }
    appendFileSync(fileOf('webhook-queue.log'), line(7, {}, 'webhook-queue'));
    expect((await followed.see(7)).sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const { code, milliseconds } = await followed.stop();
    expect(code).toBe(130);
    expect(milliseconds).toBeLessThan(2000);
  });

  it('tourctl logs --follow waits for a log that does not exist yet, and shows a line once it is complete', async () => {
    const followed = follow(['--service', 'api']);
    const [half, rest] = [line(1).slice(0, 30), line(1).slice(30)];
    await new Promise((resolve) => setTimeout(resolve, 800));
    writeFileSync(fileOf('api.log'), half);
    await new Promise((resolve) => setTimeout(resolve, 600));
    appendFileSync(fileOf('api.log'), rest);
    expect(await followed.see(1)).toEqual([1]);
    expect((await followed.stop()).code).toBe(130);
  });
});
