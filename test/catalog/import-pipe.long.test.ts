import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { useTestDatabase } from '../support/database';

const ENTRY = path.resolve(__dirname, '../../cli/tourctl.js');

const database = useTestDatabase();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pipe-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Running {
  child: ChildProcess;
  written: { stdout: string; stderr: string };
  code: Promise<number | string>;
}

function tourctl(...args: string[]): Running {
  const child = spawn(process.execPath, [ENTRY, ...args], {
    env: {
      PATH: process.env.PATH,
      TMPDIR: folder,
      DATABASE_URL: database.url,
      SECRETS_KEY: 's'.repeat(32),
      CURSOR_KEY: 'c'.repeat(32),
    },
    stdio: 'pipe',
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (text: Buffer) => (written.stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (written.stderr += text.toString()));
  const code = new Promise<number | string>((resolve) =>
    child.on('close', (code, signal) => resolve(code ?? signal!)),
  );
  return { child, written, code };
}

function makePipe(name: string): string {
  const pipe = path.join(folder, name);
  execFileSync('mkfifo', [pipe]);
  return pipe;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Waits until the process has slept for half a second (Linux). It has then loaded its code, and waits for input. */
async function untilIdle({ pid }: ChildProcess): Promise<void> {
  const readStat = () => {
    const [state, ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return { isAsleep: state === 'S', ticks: Number(fields[10]) + Number(fields[11]) };
  };
  let [samples, ticks] = [0, -1];
  await until(async () => {
    const now = readStat();
    samples = now.isAsleep && now.ticks === ticks ? samples + 1 : 0;
    ({ ticks } = now);
    return samples === 25;
  });
}

const hasBegun = async () => readdirSync(folder).some((name) => name.startsWith('tourctl-import-'));
const leftOver = () => readdirSync(folder).filter((name) => name.startsWith('tourctl-'));

async function openTransactions(): Promise<number> {
  const { rows } = await database.db.raw(
    `select count(*)::integer from pg_stat_activity
     where datname = current_database() and application_name = 'tourctl' and xact_start is not null`,
  );
  return rows[0].count;
}

/** Sends the signal, and SIGKILL after 5 s. @returns the exit code of the command, and the milliseconds until it ended */
async function interrupt({ child, code }: Running, signal: NodeJS.Signals) {
  const begun = performance.now();
  child.kill(signal);
  const killer = setTimeout(() => child.kill('SIGKILL'), 5000);
  const ended = await code;
  clearTimeout(killer);
  return { ended, milliseconds: performance.now() - begun };
}

describe('an import of a named pipe', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'an import of a named pipe ends at once on %s while the pipe has no writer',
    async (signal) => {
      const running = tourctl('catalog', 'import', makePipe('tours.json'));
      await until(hasBegun);
      expect(await openTransactions()).toBe(0);
      const { ended, milliseconds } = await interrupt(running, signal);
      expect(ended).toBe(130);
      expect(milliseconds).toBeLessThan(3000);
      expect(leftOver()).toEqual([]);
    },
  );

  it('an import of a named pipe ends at once on SIGTERM while the writer sends nothing, and keeps no transaction open', async () => {
    const pipe = makePipe('tours.json');
    const running = tourctl('catalog', 'import', pipe);
    await until(hasBegun);
    const writer = openSync(pipe, 'w');
    writeSync(writer, '[');
    await until(async () => (await openTransactions()) === 0);
    const { ended, milliseconds } = await interrupt(running, 'SIGTERM');
    closeSync(writer);
    expect(ended).toBe(130);
    expect(milliseconds).toBeLessThan(3000);
    expect(leftOver()).toEqual([]);
  });

  it('an import reads tours and departures from two named pipes, and leaves no copy of them', async () => {
    const [tours, departures] = [makePipe('tours.csv'), makePipe('departures.csv')];
    const running = tourctl('catalog', 'import', tours, departures, '--json');
    await writeFile(
      tours,
      'slug,name,continent,country,duration_days,currency,base_price\npiped,P,asia,VN,3,EUR,90\n',
    );
    await writeFile(departures, 'tour_slug,departure_date,seats_total,prices.adult\npiped,2031-06-01,9,90\n');
    expect(await running.code).toBe(0);
    expect(JSON.parse(running.written.stdout)).toMatchObject({
      tours: { created: 1 },
      departures: { created: 1 },
    });
    expect(leftOver()).toEqual([]);
  });

  it('an import of a named pipe names the pipe in its issues', async () => {
    const pipe = makePipe('tours.json');
    const running = tourctl('catalog', 'import', pipe, '--json');
    await writeFile(pipe, '[{}]');
    expect(await running.code).toBe(1);
    const files = JSON.parse(running.written.stdout).errors.map(({ file }: { file: string }) => file);
    expect(new Set(files)).toEqual(new Set([pipe]));
  });
});

describe('a command that reads standard input', () => {
  it.each([
    ['key inspect', ['key', 'inspect']],
    ['webhook listen', ['webhook', 'listen']],
  ])(
    'a command that reads standard input ends at once on SIGTERM while there is no input: %s',
    async (_, args) => {
      const running = tourctl(...args);
      running.child.stdin!.write('s');
      await untilIdle(running.child);
      const { ended, milliseconds } = await interrupt(running, 'SIGTERM');
      expect(ended).toBe(130);
      expect(milliseconds).toBeLessThan(3000);
    },
  );
});
