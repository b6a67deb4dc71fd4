import { describeWithRedis, startRedis, stopRedisServers } from '../support/redis';
import { checkOf } from './doctor-check';
import { openTestTerminal, type TestTerminal } from './terminal';

let terminal: TestTerminal;
beforeAll(async () => {
  terminal = await openTestTerminal();
});
afterAll(async () => terminal.drop());

const check = (name: string) => checkOf(terminal, name);

describe('tourctl doctor', () => {
  it('exits with 1 where the configured store does not answer, or not with this password', async () => {
    expect(await check('store')).toMatchObject({ code: 0, detail: expect.stringContaining('in memory') });
    terminal.env.REDIS_URL = 'redis://:hunter2@localhost:1';
    const refused = await check('store');
    expect(refused).toMatchObject({ code: 1, ok: false, status: 'broken' });
    expect(refused.detail).toMatch(/^REDIS_URL: connect ECONNREFUSED/);
    delete terminal.env.REDIS_URL;
    Object.assign(terminal.env, { CACHE_REST_URL: 'http://127.0.0.1:1', CACHE_REST_TOKEN: 'hunter2' });
    const rest = await check('store');
    expect(rest).toMatchObject({ code: 1, status: 'broken' });
    expect(rest.detail).toMatch(/^CACHE_REST_URL: connect ECONNREFUSED/);
    delete terminal.env.CACHE_REST_URL;
    delete terminal.env.CACHE_REST_TOKEN;
  });
});

describeWithRedis('tourctl doctor with a Redis', () => {
  afterAll(async () => {
    delete terminal.env.REDIS_URL;
    await stopRedisServers();
  });

  it('tells how quick it is, and finds a wrong password and a hanging server', async () => {
    const redis = await startRedis(['--requirepass', 'right']);
    terminal.env.REDIS_URL = `redis://:right@127.0.0.1:${redis.port}`;
    expect(await check('store')).toMatchObject({
      code: 0,
      status: 'ok',
      detail: expect.stringMatching(/^REDIS_URL answers in \d+ ms$/),
    });
    terminal.env.REDIS_URL = `redis://:hunter2@127.0.0.1:${redis.port}`;
    const refused = await check('store');
    expect(refused).toMatchObject({ code: 1, status: 'broken' });
    expect(refused.detail).toMatch(/^REDIS_URL: WRONGPASS/);
    redis.hang();
    expect(await check('store')).toMatchObject({ code: 1, status: 'broken' });
  });
});
