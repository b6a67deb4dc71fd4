import { createInTurn } from '../../services/api/http/in-turn';

const inTurn = createInTurn(() => new Error('too late'));
const shortDelay = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('taking turns', () => {
  it('taking turns runs the calls of one key one after another, in order of arrival', async () => {
    const log: string[] = [];
    const work = (name: string) => async () => {
      log.push(`${name} begins`);
      await shortDelay();
      log.push(`${name} ends`);
      return name;
    };
    const answers = await Promise.all(['a', 'b', 'c'].map((name) => inTurn('key', work(name))));
    expect(answers).toEqual(['a', 'b', 'c']);
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('taking turns runs calls of different keys at the same time', async () => {
    let release = () => {};
    const blocked = inTurn('one', () => new Promise<void>((resolve) => (release = resolve)));
    expect(await inTurn('other', () => Promise.resolve('free'))).toBe('free');
    release();
    await blocked;
  });

  it('taking turns runs the next call after a call that failed', async () => {
    const failed = inTurn('key', () => Promise.reject(new Error('no')));
    const next = inTurn('key', () => Promise.resolve('yes'));
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });

  it('taking turns rejects a call that waited two seconds', async () => {
    let release = () => {};
    const slow = inTurn('slow', () => new Promise<void>((resolve) => (release = resolve)));
    await expect(inTurn('slow', () => Promise.resolve())).rejects.toThrow('too late');
    release();
    await slow;
    expect(await inTurn('slow', () => Promise.resolve('free'))).toBe('free');
  });

  it('taking turns runs as many calls of a key at a time as the caller allows, and a waiting call begins when one ends', async () => {
    const releases: (() => void)[] = [];
    const begin = () => inTurn('two', () => new Promise<void>((resolve) => releases.push(resolve)), 2);
    const calls = [begin(), begin(), begin()];
    await shortDelay();
    expect(releases).toHaveLength(2);
    releases[1]!();
    await calls[1];
    await shortDelay();
    expect(releases).toHaveLength(3);
    releases.forEach((release) => release());
    await Promise.all(calls);
  });
});
