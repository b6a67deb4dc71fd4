import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { createLoadShedder } from '../../services/api/http/load-shedding';

const shedder = createLoadShedder();
afterAll(() => shedder.stop());

/** Sends a request through load shedding. @returns the argument of `next`: undefined if the request was admitted */
function offer(response = new EventEmitter()): unknown {
  let answer: unknown = 'waits';
  shedder.middleware(
    { headers: {} } as Request,
    response as unknown as Response,
    (error?: unknown) => (answer = error),
  );
  return answer;
}

const nextTurn = () => sleep(1);

function keepTheLoopFor(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end;);
}

describe('load shedding', () => {
  it('load shedding refuses a request while a thousand wait, and accepts it when one of them is answered', () => {
    const responses = Array.from({ length: 1000 }, () => new EventEmitter());
    for (const response of responses) expect(offer(response)).toBeUndefined();
    expect(offer()).toMatchObject({ code: 'overloaded' });
    responses[0]!.emit('close');
    expect(offer()).toBeUndefined();
    expect(offer()).toMatchObject({ code: 'overloaded' });
    responses.forEach((response) => response.emit('prefinish'));
    expect(offer()).toBeUndefined();
  });

  it('load shedding refuses while the event loop stays over a second late, and not after a single pause', async () => {
    keepTheLoopFor(1100);
    await nextTurn();
    await nextTurn();
    await sleep(1100);
    expect(offer()).toBeUndefined();

    for (let late = 0; late < 3; late++) {
      keepTheLoopFor(1100);
      await nextTurn();
    }
    expect(offer()).toMatchObject({ code: 'overloaded' });

    await sleep(2100);
    expect(offer()).toBeUndefined();
  });
});
