import express, { type Request, type RequestHandler } from 'express';
import request from 'supertest';
import { earlyStepsOf, runsEarly, withEarlyStep } from '../../services/platform/http/early-answer';

const ran: string[] = [];

/** Returns a handler that writes its name. */
function handler(name: string): RequestHandler {
  return (_request, _response, next) => {
    ran.push(name);
    next();
  };
}

/** Answers a request, and then runs the early steps of its route with the same request. */
async function runSteps(...handlers: RequestHandler[]): Promise<{ headers: string[] }> {
  const app = express();
  let asked!: Request;
  app.use(handler('common'));
  app.use('/other', handler('of another path'));
  app.get('/elsewhere', handler('of another route'));
  app.get('/tours/:id', ...handlers, (received, response) => {
    asked = received;
    response.end();
  });
  app.use(handler('later'));
  await request(app).get('/tours/1');
  ran.length = 0;
  const headers: string[] = [];
  for (const step of earlyStepsOf(asked)) await step.run?.({ request: asked, response: asked.res!, headers });
  return { headers };
}

describe('the steps of an early answer', () => {
  it('an early answer runs each handler that its route passes, and no other one', async () => {
    await runSteps(handler('first'), runsEarly(handler('second')));
    expect(ran).toEqual(['common', 'first', 'second']);
  });

  it('an early answer runs the declared step in place of its handler', async () => {
    const named = withEarlyStep(handler('first'), {
      run: ({ headers }) => void headers.push('Name', 'value'),
    });
    const { headers } = await runSteps(named, withEarlyStep(handler('second'), {}));
    expect({ ran, headers }).toEqual({ ran: ['common'], headers: ['Name', 'value'] });
  });

  it.each<[string, RequestHandler]>([
    [
      'throws',
      () => {
        throw new Error('refused');
      },
    ],
    ['rejects', () => Promise.reject(new Error('refused'))],
    ['names to the next handler', (_request, _response, next) => next(new Error('refused'))],
    ['throws in its own step', runsEarly((_request, _response, next) => next(new Error('refused')))],
  ])('an early answer is refused with the error that a handler %s', async (_, refusing) => {
    let isFirst = true;
    const refuse: RequestHandler = (received, response, next) => {
      if (!isFirst) return refusing(received, response, next);
      isFirst = false;
      next();
    };
    await expect(runSteps(refuse)).rejects.toThrow('refused');
  });
});
