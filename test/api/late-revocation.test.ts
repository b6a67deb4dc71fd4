import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import openapi from '../../services/api/generated/openapi.json';
import { revokeCredential, rotateCredential } from '../../services/api/credentials/manage-credentials';
import { changeTenantStatus } from '../../services/api/tenants/manage-tenants';
import { inTransaction, type Trx } from '../../services/platform/database/database';
import { useTestApi } from '../support/api';
import { givenKey, givenTenant, PEPPER } from '../support/given';

const api = useTestApi();

/** Every route that may have a body: all routes except those that only read. */
const ROUTES = Object.entries(openapi.paths as Record<string, object>).flatMap(([path, methods]) =>
  Object.keys(methods)
    .filter((method) => method !== 'get')
    .map((method) => `${method.toUpperCase()} ${path.replace(/{\w+}/g, 'unknown')}`),
);
/** The routes that answer without their body. */
const WITHOUT_BODY = ['DELETE /octo/notifications/subscriptions/unknown'];

interface Begun {
  route: string;
  /** The answer so far. */
  answer: string;
  /** Sends the rest of the body. @returns the complete answer */
  finish(): Promise<string>;
}

/** Sends a request whose body comes in two parts. */
function begin(route: string, key: string, body: string): Begun {
  const socket = connect(Number(new URL(api.baseUrl).port), '127.0.0.1');
  const begun: Begun = {
    route,
    answer: '',
    async finish() {
      socket.write(body.slice(1));
      if (!socket.closed) await once(socket, 'close');
      return begun.answer;
    },
  };
  socket.on('data', (chunk: Buffer) => (begun.answer += chunk.toString()));
  socket.on('error', () => undefined);
  const headers = [
    `${route} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  socket.write(`${headers.join('\r\n')}\r\n\r\n${body[0]}`);
  return begun;
}

type Change = (trx: Trx, keyId: string, tenantSlug: string) => Promise<unknown>;

/** Returns the answers by route. The routes of REST and those of OCTO get a key each, because a key has 16 unfinished bodies at most. */
async function answersAround(change: Change): Promise<[route: string, answer: string][]> {
  const isOcto = (route: string) => route.includes('/octo/');
  return [
    ...(await answersOf(ROUTES.filter(isOcto), change)),
    ...(await answersOf(
      ROUTES.filter((route) => !isOcto(route)),
      change,
    )),
  ];
}

/** Begins a request on each route with one key, runs `change` when the API has checked the key of each, and then ends the bodies. */
async function answersOf(routes: string[], change: Change): Promise<[route: string, answer: string][]> {
  const { context, db } = api;
  const tenant = await givenTenant(db);
  const key = await givenKey(db, tenant);
  const checks = jest.spyOn(context.uses, 'record');
  const begun = routes.map((route) => begin(route, key, '{}'));
  const withoutBody = WITHOUT_BODY.filter((route) => routes.includes(route));
  const answered = () => begun.filter(({ answer }) => answer !== '').map(({ route }) => route);
  while (checks.mock.calls.length < routes.length || answered().length < withoutBody.length) await sleep(5);
  checks.mockRestore();
  expect(answered()).toEqual(withoutBody);
  await inTransaction(db, (trx) => change(trx, key.split('_')[2]!, tenant.slug));
  const late = begun.filter(({ route }) => !withoutBody.includes(route));
  return Promise.all(late.map(async ({ route, finish }) => [route, await finish()]));
}

/** Returns the status and the code of each answer, without repeats. */
function kindsOf(answers: [route: string, answer: string][]): string[] {
  const kinds = answers.map(([route, answer]) => {
    const [, status] = /^HTTP\/1.1 (\d+) /.exec(answer) ?? [];
    const [, code] = /"(?:code|error)":"(\w+)"/.exec(answer) ?? [];
    return route.includes('/octo/') ? `octo ${status} ${code}` : `${status} ${code}`;
  });
  return [...new Set(kinds)].sort();
}

describe('a request whose body ends late', () => {
  it('every route serves a request whose body ends late if its key still serves', async () => {
    const answers = await answersAround(async () => undefined);
    expect(answers.length).toBeGreaterThan(15);
    expect(answers.filter(([, answer]) => /^HTTP\/1.1 (401|5..) /.test(answer))).toEqual([]);
  });

  it.each<[title: string, code: string, change: Change]>([
    ['its key was revoked', 'key_revoked', (trx, id) => revokeCredential(trx, 'api_key', id)],
    [
      'its key was rotated without grace',
      'key_revoked',
      (trx, id) => rotateCredential(trx, PEPPER, 'api_key', id, { graceSeconds: 0 }),
    ],
    [
      'its key has expired',
      'key_expired',
      (trx, id) =>
        trx('api_keys')
          .where({ id })
          .update({ expires_at: trx.raw('clock_timestamp()') }),
    ],
    [
      'its tenant was suspended',
      'tenant_inactive',
      (trx, _, slug) => changeTenantStatus(trx, slug, 'suspended'),
    ],
    ['its tenant was closed', 'tenant_inactive', (trx, _, slug) => changeTenantStatus(trx, slug, 'closed')],
  ])('no route serves a request whose body ends after %s', async (_title, code, change) => {
    expect(kindsOf(await answersAround(change))).toEqual([`401 ${code}`, 'octo 401 UNAUTHORIZED']);
  });
});
