import { PassThrough, Readable, Writable } from 'node:stream';
import { showProgress } from '../../cli/commands/catalog/progress-bar';

function terminal(options: {
  columns?: number;
  env?: Record<string, string>;
  isTTY?: boolean;
  json?: boolean;
}) {
  const { columns = 80, env = {}, isTTY = true, json = false } = options;
  const written: string[] = [];
  const stderr: Writable & { columns?: number } = new Writable({
    write: (chunk: Buffer, _, done) => {
      written.push(chunk.toString());
      done();
    },
  });
  stderr.columns = columns;
  const io = { stdin: Readable.from([]), stdout: new PassThrough(), stderr, env, isTTY, root: '' };
  let time = 0;
  const bar = showProgress(io, json, () => time);
  const at = (seconds: number, done: number, of = 100_000_000) => {
    time = seconds * 1000;
    bar.watch({ phase: 'reading', done, of });
  };
  return { bar, at, written };
}

describe('the progress bar of an import', () => {
  it('the progress bar of an import shows the finished part, the rate and the remaining time', () => {
    const { at, written } = terminal({});
    at(0, 0);
    at(10, 25_000_000);
    expect(written.at(-1)).toContain('25 %, 25.0 of 100.0 MB, 2.5 MB/s, 30 s left');
    expect(written.at(-1)).toMatch(/^\rreading █+░+ /);
    expect(written.every((text) => !text.includes('\n'))).toBe(true);
  });

  it('the progress bar of an import clears its line before an answer or a question', () => {
    const { bar, at, written } = terminal({});
    at(0, 0);
    bar.clear();
    expect(written.at(-1)).toMatch(/^\r +\r$/);
    bar.clear();
    expect(written).toHaveLength(2);
  });

  it('the progress bar of an import repaints at most ten times a second', () => {
    const { at, written } = terminal({});
    for (let i = 0; i <= 100; i++) at(i / 100, i);
    expect(written.length).toBeLessThanOrEqual(11);
  });

  it('the progress bar of an import fits a narrow terminal', () => {
    const { at, written } = terminal({ columns: 32 });
    at(0, 0);
    at(10, 25_000_000);
    expect(written.at(-1)!.trim()).toMatch(/^reading █+░+ +25 %, 30 s left$/);
    expect(written.every((text) => text.replaceAll('\r', '').length < 32)).toBe(true);
  });

  it('the progress bar of an import draws with plain ASCII when NO_COLOR is set', () => {
    const { at, written } = terminal({ env: { NO_COLOR: '1' } });
    at(0, 50_000_000);
    expect(written.join('')).toMatch(/^[\r\x20-\x7e]+$/);
    expect(written.join('')).toContain('####');
  });

  it.each([{ isTTY: false }, { json: true }, { env: { TERM: 'dumb' } }])(
    'the progress bar of an import writes nothing with %j',
    (options) => {
      const { bar, at, written } = terminal(options);
      at(0, 0);
      bar.clear();
      expect(written).toEqual([]);
    },
  );
});
