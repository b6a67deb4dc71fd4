import { readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import {
  isAlive,
  ownTag,
  processStart,
  withStartLock,
} from '../../services/platform/embedded-postgres/start-lock';
import {
  end,
  nextWord,
  startProcess,
  removeDirectories,
  temporaryDirectory,
} from './embedded-postgres-support';

afterAll(removeDirectories);

const NO_WAIT = { waitMs: 0 };
const DEAD = '4194305_1';

describe('the start lock of the embedded database', () => {
  it('the start lock of the embedded database admits one start in this process at a time', async () => {
    const lock = newLock();
    const order: string[] = [];
    const stay = () =>
      withStartLock(lock, { waitMs: 5000 }, async () => {
        order.push('in');
        await new Promise((resolve) => setTimeout(resolve, 5));
        order.push('out');
      });
    await Promise.all([stay(), stay(), stay()]);
    expect(order.join(' ')).toBe('in out in out in out');
  });

  it('a wait that times out names the process that holds the lock', async () => {
    const lock = newLock();
    await withStartLock(lock, NO_WAIT, () =>
      expect(withStartLock(lock, NO_WAIT, () => Promise.resolve())).rejects.toThrow(
        `by process ${process.pid}`,
      ),
    );
  });

  it('a process whose start fails releases the start lock', async () => {
    const lock = newLock();
    await expect(withStartLock(lock, NO_WAIT, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(readdirSync(path.dirname(lock))).toEqual([]);
  });

  it('a process takes over the start lock of a process that had taken it over and died', async () => {
    const lock = newLock();
    symlinkSync(`${DEAD} first`, lock);
    symlinkSync(`${DEAD} second`, `${lock}.first`);
    await withStartLock(lock, NO_WAIT, () => {
      expect(readlinkSync(`${lock}.second`)).toMatch(ownTag());
      return Promise.resolve();
    });
    expect(readdirSync(path.dirname(lock))).toEqual([]);
  });

  it('a process takes over the start lock of a dead process whose pid is in use again', async () => {
    const lock = newLock();
    symlinkSync(`${process.pid}_1 first`, lock);
    await expect(withStartLock(lock, NO_WAIT, () => Promise.resolve('in'))).resolves.toBe('in');
  });

  it('many processes take over the start lock of a dead process one at a time', async () => {
    const lock = newLock();
    const logFile = path.join(temporaryDirectory(), 'log');
    symlinkSync(`${DEAD} first`, lock);
    const many = [1, 2, 3, 4].map(() => startProcess(['contend', lock, logFile]));
    await Promise.all(many.map(nextWord));
    const ended = many.map((each) => new Promise((resolve) => each.once('exit', resolve)));
    many.forEach((each) => each.send('go'));
    await Promise.all(ended);
    expect(readFileSync(logFile, 'utf8')).toBe('in\nout\n'.repeat(4));
    expect(readdirSync(path.dirname(lock))).toEqual([]);
  });

  it('a process removes the lock files of a process that was killed while it released the start lock', async () => {
    const lock = newLock();
    symlinkSync(`${DEAD} second`, `${lock}.first`);
    await withStartLock(lock, NO_WAIT, () => Promise.resolve());
    expect(readdirSync(path.dirname(lock))).toEqual([]);
  });
});

describe('the identity of a process', () => {
  it('isAlive returns false after the process ends', async () => {
    const child = startProcess(['contend', '/nowhere', '/nowhere']);
    const tag = `${child.pid}_${processStart(child.pid!)}`;
    expect(isAlive(tag)).toBe(true);
    await end(child);
    expect(isAlive(tag)).toBe(false);
  });

  it('isAlive returns true when the system does not report the start time', () => {
    expect(isAlive(`${process.pid}_unknown`)).toBe(true);
    expect(processStart(0)).toBeUndefined();
  });
});

function newLock(): string {
  return path.join(temporaryDirectory(), 'lock');
}
