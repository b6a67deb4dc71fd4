import type { Response, Test } from 'supertest';
import { useTestApi } from '../support/api';
import { OPERATIONS } from '../support/documented-operations';
import { withAnotherSecret } from '../support/forged-token';
import { givenKey, givenTenant, givenVisibilityRule } from '../support/given';
import { withoutRequestId } from '../support/responses';
import { useWebsite } from '../support/website';
import { givenWidgetToken } from '../widget/given-widget';
import { useConformance } from '../octo/conformance-api';
import {
  CALL_BODIES,
  CALLS,
  CALLS_WITH_IDS,
  givenSales,
  type Ids,
  type IsolationCall,
  LISTS,
  OWNERS_CUSTOMER,
  requestOfCall,
  withUnknownIds,
} from './isolation-calls';

/**
 * Sends every operation of the OpenAPI document with every kind of credential: once with the owner's ids, and once with unknown ids.
 * Both answers must be the same bytes.
 */

const api = useTestApi({ trustProxy: 1 });
const { reseller: owner, tours } = useConformance(api);
const stranger = useWebsite(api);
const sandbox = useWebsite(api, { sandbox: true });

let theirs: Ids;
let unknownIds: Ids;
let rowsBefore: string;

beforeAll(async () => {
  for (const other of [stranger, sandbox]) await givenVisibilityRule(api.db, other, tours.startTime, false);
  theirs = await givenSales(owner, tours);
  unknownIds = withUnknownIds(theirs);
  rowsBefore = await rowsOfSales();
});

/** Returns all rows that a request could change or reveal. */
async function rowsOfSales(): Promise<string> {
  const tables = [
    'seat_holds',
    'hold_changes',
    'hold_extensions',
    'octo_bookings',
    'booking_leads',
    'booking_changes',
  ];
  const rows = await Promise.all(
    tables.map((table) => api.db(table).select(api.db.raw('to_jsonb(??) as row', table))),
  );
  return JSON.stringify(rows.map((of) => of.map(({ row }) => JSON.stringify(row)).sort()));
}

interface Credential {
  key?: string;
  token?: string;
}

let address = 0;

/** Sends the call from a new address, because wrong credentials have a limit for each address. */
async function ask(call: IsolationCall, { key, token }: Credential, ids: Ids): Promise<Response> {
  const { method, path, query, body } = requestOfCall(call, ids);
  const request: Test = api.http[method](path)
    .query(query)
    .set('x-forwarded-for', `2001:db8:${(++address).toString(16)}::1`);
  if (call.operation.credential === 'token') void request.query({ token });
  else if (key !== undefined) void request.set('authorization', `Bearer ${key}`);
  return body ? request.send(body) : request;
}

/** Returns the answer without the ids, because errors of OCTO repeat the requested id. */
function comparable(answer: Response, ids: Ids): string {
  const { tour, departure, hold, octo } = ids;
  let text = JSON.stringify(withoutRequestId(answer));
  for (const id of [tour, departure, hold, octo]) text = text.replaceAll(id, '<id>');
  return text;
}

/** Sends the call with the owner's ids and with unknown ids, and expects the same bytes. @returns the common status */
async function expectSameBytes(call: IsolationCall, credential: Credential): Promise<number> {
  const answer = await ask(call, credential, theirs);
  const empty = await ask(call, credential, unknownIds);
  expect(comparable(answer, theirs)).toBe(comparable(empty, unknownIds));
  expectNothingOfOwner(answer);
  return answer.status;
}

function expectNothingOfOwner({ text }: Response): void {
  const secrets = [...Object.values(OWNERS_CUSTOMER), owner.tenant.id];
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
}

async function tokenOf({ tenant }: Pick<typeof owner, 'tenant'>): Promise<string> {
  return (await givenWidgetToken(api.db, tenant)).token;
}

async function endedCredential(columns: object): Promise<Credential> {
  const given = { key: await givenKey(api.db, owner.tenant), token: await tokenOf(owner) };
  for (const table of ['api_keys', 'widget_tokens']) {
    const newest = api
      .db(table)
      .where({ tenant_id: owner.tenant.id })
      .orderBy('created_at', 'desc')
      .first('id');
    await api.db(table).where('id', newest).update(columns);
  }
  return given;
}

const REFUSED: Record<string, () => Promise<Credential>> = {
  'no credential': async () => ({}),
  'a malformed credential': async () => ({ key: 'svc_live_x', token: 'svc_widget_x' }),
  "the owner's credential with another secret": async () => ({
    key: withAnotherSecret(owner.key),
    token: withAnotherSecret(await tokenOf(owner)),
  }),
  "the owner's credential in the place of the other kind": async () => ({
    key: await tokenOf(owner),
    token: owner.key,
  }),
  "the owner's revoked credential": () => endedCredential({ revoked_at: api.db.fn.now() }),
  "the owner's expired credential": () => endedCredential({ expires_at: api.db.fn.now() }),
  'the credential of a suspended tenant': async () => {
    const tenant = await givenTenant(api.db);
    const given = { key: await givenKey(api.db, tenant), token: await tokenOf({ tenant }) };
    await api.db('tenants').where({ id: tenant.id }).update({ status: 'suspended' });
    return given;
  },
};

const OTHER_TENANTS: Record<string, () => Promise<Credential>> = {
  'the credential of another tenant': async () => ({ key: stranger.key, token: await tokenOf(stranger) }),
  'the credential of a sandbox tenant': async () => ({ key: sandbox.key, token: await tokenOf(sandbox) }),
};

it('this file has a request body for every documented operation that takes one', () => {
  expect(OPERATIONS.filter(({ id, body }) => body && !CALL_BODIES[id]).map(({ id }) => id)).toEqual([]);
});

describe.each(Object.entries(REFUSED))('a request with %s', (_kind, given) => {
  let credential: Credential;
  beforeAll(async () => {
    credential = await given();
  });

  it.each(CALLS)(
    '%s answers 401 with the same bytes for ids of another tenant and for unknown ids',
    async (_title, call) => {
      expect(await expectSameBytes(call, credential)).toBe(401);
    },
  );
});

describe.each(Object.entries(OTHER_TENANTS))('a request with %s', (_kind, given) => {
  let credential: Credential;
  beforeAll(async () => {
    credential = await given();
  });

  it.each(CALLS_WITH_IDS)(
    '%s answers the same bytes for ids of another tenant and for unknown ids',
    async (_title, call) => {
      expect(await expectSameBytes(call, credential)).toBeGreaterThanOrEqual(400);
    },
  );

  it.each(LISTS)('%s shows no data of another tenant', async (_title, call) => {
    const answer = await ask(call, credential, theirs);
    expect(answer.status).toBe(200);
    expectNothingOfOwner(answer);
    const { tour, slug, hold, booking, octo } = theirs;
    expect([tour, slug, hold, booking, octo].filter((id) => answer.text.includes(id))).toEqual([]);
  });
});

it('no request of this file changes a hold or a booking', async () => {
  expect(await rowsOfSales()).toBe(rowsBefore);
});
