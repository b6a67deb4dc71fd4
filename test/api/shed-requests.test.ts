import { EventEmitter } from 'node:events';
import type { Response } from 'express';
import supertest from 'supertest';
import { createApp } from '../../services/api/app';
import { createCachedReads } from '../../services/api/http/api-context';
import { createLoadShedder, type LoadShedder } from '../../services/api/http/load-shedding';
import { openDatabase } from '../../services/platform/database/database';
import { createLogger } from '../../services/platform/logger';
import { awaitInstances } from '../../services/platform/read-cache/instance.repository';
import { startReadCacheValidity } from '../../services/platform/read-cache/read-cache';
import { useTestApi } from '../support/api';
import { expectProblem } from '../support/responses';
import { givenWebsite } from '../support/website';

const WAITING_MAX = 1000;
const QUOTA = 3;
const CATALOG = '/api/tenant/catalog';

const api = useTestApi({ quotas: { availability: 1, hold: 1, booking: 1, catalog: QUOTA, widget: 1 } });

describe('an overloaded process', () => {
  let stop: () => Promise<void>;
  let shedder: LoadShedder;
  beforeAll(async () => {
    const polls = openDatabase(api.database.url, { applicationName: 'tests', poolMax: 1 });
    const validity = startReadCacheValidity(polls, createLogger('silent', 'tests'));
    Object.assign(api.context, createCachedReads(api.db, validity));
    shedder = createLoadShedder();
    stop = async () => {
      shedder.stop();
      await validity.stop();
      await polls.destroy();
    };
  });
  afterAll(() => stop());

  it('an overloaded process refuses requests with 503, and counts those of a cached key until the quota refuses them', async () => {
    const { authorization } = await givenWebsite(api, {}, ['catalog:read']);
    await awaitInstances(api.db);
    const http = supertest(createApp(api.context, shedder));
    const get = (path: string) => http.get(path).set({ authorization });
    expect((await get('/api/tenant/tours/none')).headers['ratelimit-remaining']).toBe(`${QUOTA - 1}`);
    for (let n = 0; n < WAITING_MAX; n++) shedder.enterAgain(new EventEmitter() as Response);

    for (let left = QUOTA - 2; left >= 0; left--) {
      const shed = await get(CATALOG);
      expectProblem(shed, 503, 'overloaded');
      expect(shed.headers['ratelimit-remaining']).toBe(`${left}`);
    }
    expectProblem(await get(CATALOG), 429, 'rate_limited');
    expectProblem(await http.get(CATALOG), 503, 'overloaded');
    expectProblem(await http.get(CATALOG).set({ authorization: 'Bearer wrong' }), 503, 'overloaded');
    expectProblem(await get('/openapi.json'), 503, 'overloaded');
  });
});
