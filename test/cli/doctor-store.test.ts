import { describeWithRedis, startRedis, stopRedisServers } from '../support/redis';
import { checkOf } from './doctor-check';
import { withEnv, useTestTerminal } from './terminal';

const terminal = useTestTerminal();

const check = (settings: Record<string, string> = {}) =>
  withEnv(terminal, settings, () => checkOf(terminal, 'store'));

describe('tourctl doctor', () => {
  it('tourctl doctor exits with 1 if the configured store does not answer', async () => {
    expect(await check()).toMatchObject({ code: 0, detail: expect.stringContaining('in memory') });
    const refused = await check({ REDIS_URL: 'redis://:hunter2@localhost:1' });
    expect(refused).toMatchObject({ code: 1, ok: false, status: 'broken' });
    expect(refused.detail).toMatch(/^REDIS_URL: connect ECONNREFUSED/);
    const rest = await check({ CACHE_REST_URL: 'http://127.0.0.1:1', CACHE_REST_TOKEN: 'hunter2' });
    expect(rest).toMatchObject({ code: 1, status: 'broken' });
    expect(rest.detail).toMatch(/^CACHE_REST_URL: connect ECONNREFUSED/);
  });
});

describeWithRedis('tourctl doctor with a Redis', () => {
  afterAll(stopRedisServers);

  it('tourctl doctor reports the response time of Redis, a wrong password, and a Redis that hangs', async () => {
    const redis = await startRedis(['--requirepass', 'right']);
    const url = (password: string) => ({ REDIS_URL: `redis://:${password}@127.0.0.1:${redis.port}` });
    expect(await check(url('right'))).toMatchObject({
      code: 0,
      status: 'ok',
      detail: expect.stringMatching(/^REDIS_URL answers in \d+ ms$/),
    });
    const refused = await check(url('hunter2'));
    expect(refused).toMatchObject({ code: 1, status: 'broken' });
    expect(refused.detail).toMatch(/^REDIS_URL: Redis refuses the password of REDIS_URL/);
    redis.hang();
    expect(await check(url('right'))).toMatchObject({ code: 1, status: 'broken' });
  });
});
