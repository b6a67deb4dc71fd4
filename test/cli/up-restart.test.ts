import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { once } from 'node:events';
import { restartPauseMs } from '../../cli/commands/up/service';
import { openRotatingLog } from '../../cli/commands/logs/log-files';

describe('the pause before a service is started again', () => {
  it('the pause before a restart grows, and any minute has at most five starts', () => {
    const pauses = Array.from({ length: 20 }, (_, died) => restartPauseMs(died + 1));
    expect(pauses.slice(0, 7)).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    const starts = pauses.map((_, index) =>
      pauses.slice(0, index + 1).reduce((sum, pause) => sum + pause, 0),
    );
    for (const begin of starts)
      expect(starts.filter((at) => at >= begin && at < begin + 60_000).length).toBeLessThanOrEqual(5);
  });
});

describe('the log of a service', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'rotating-log-'));
    file = path.join(folder, 'api.log');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = async (log: NodeJS.WritableStream, chunks: string[]) => {
    for (const chunk of chunks) log.write(chunk);
    log.end();
    await once(log, 'finish');
  };

  it('the log keeps a limited number of files of limited size, with complete lines up to the newest one', async () => {
    const lines = Array.from({ length: 1000 }, (_, number) => `{"line":${number}}\n`);
    // Chunks of a pipe begin and end anywhere.
    const chunks = lines.join('').match(/[^]{1,37}/g)!;
    await write(openRotatingLog(file, { fileBytes: 500, files: 3 }), chunks);
    expect(readdirSync(folder).sort()).toEqual(['api.log', 'api.log.1', 'api.log.2']);
    const kept = ['.2', '.1', ''].map((age) => readFileSync(file + age, 'utf8'));
    for (const text of kept) expect(text.length).toBeLessThanOrEqual(550);
    const numbers = kept
      .flatMap((text) => text.trimEnd().split('\n'))
      .map((line) => JSON.parse(line).line as number);
    expect(numbers).toEqual(lines.map((_, number) => number).slice(-numbers.length));
    expect(numbers.length).toBeGreaterThan(50);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('the log continues the file of an earlier start', async () => {
    await write(openRotatingLog(file), ['one\n']);
    await write(openRotatingLog(file), ['two\n']);
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');
  });

  it('the log reports a full disk once and does not stop the service', async () => {
    const reasons: string[] = [];
    await write(openRotatingLog('/dev/full', { onLost: (reason) => reasons.push(reason) }), ['a\n', 'b\n']);
    expect(reasons).toEqual([expect.stringContaining('ENOSPC')]);
  });
});
