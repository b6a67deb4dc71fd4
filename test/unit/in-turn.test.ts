import { createInTurn } from '../../services/api/idempotency/in-turn';

const inTurn = createInTurn();
const shortDelay = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('single flight in the process', () => {
  it('single flight in the process runs the calls of one key one after another, in order of arrival', async () => {
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

  it('single flight in the process runs calls of different keys at the same time', async () => {
    let release = () => {};
    const blocked = inTurn('one', () => new Promise<void>((resolve) => (release = resolve)));
    expect(await inTurn('other', () => Promise.resolve('free'))).toBe('free');
    release();
    await blocked;
  });

  it('single flight in the process runs the next call after a call that failed', async () => {
    const failed = inTurn('key', () => Promise.reject(new Error('no')));
    const next = inTurn('key', () => Promise.resolve('yes'));
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });

  it('single flight in the process rejects a call that waited two seconds', async () => {
    let release = () => {};
    const slow = inTurn('slow', () => new Promise<void>((resolve) => (release = resolve)));
    await expect(inTurn('slow', () => Promise.resolve())).rejects.toMatchObject({
      code: 'idempotency_in_progress',
    });
    release();
    await slow;
  });
});
