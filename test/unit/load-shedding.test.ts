import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { createLoadShedder } from '../../services/api/http/load-shedding';

const shedder = createLoadShedder();
afterAll(() => shedder.stop());

describe('load shedding', () => {
  it('refuses what would wait beside a thousand others, and lets it in when one is answered', () => {
    const responses = Array.from({ length: 1000 }, () => new EventEmitter());
    const offer = (response: EventEmitter) => {
      let answer: unknown = 'waits';
      shedder.middleware(
        {} as Request,
        response as unknown as Response,
        (error?: unknown) => (answer = error),
      );
      return answer;
    };
    for (const response of responses) expect(offer(response)).toBeUndefined();
    expect(offer(new EventEmitter())).toMatchObject({ code: 'overloaded' });
    responses[0]!.emit('close');
    expect(offer(new EventEmitter())).toBeUndefined();
    expect(offer(new EventEmitter())).toMatchObject({ code: 'overloaded' });
  });
});
