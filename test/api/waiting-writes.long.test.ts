import type { Knex } from 'knex';
import type { Response } from 'supertest';
import { revokeCredential } from '../../services/api/credentials/manage-credentials';
import { SCOPES } from '../../services/api/credentials/credential';
import { changeTenantStatus } from '../../services/api/tenants/manage-tenants';
import { type Trx } from '../../services/platform/database/database';
import { useTestApi } from '../support/api';
import { untilTransactionWaits } from '../support/lock-wait';
import { givenWebsite } from '../support/website';
import {
  type Given,
  givenForWrites,
  OTHER_WRITES,
  type Prepare,
  SEAT_CHANGES,
  type Send,
} from '../support/writing-requests';

/** A write that waits for a lock is judged by the key and the tenant after the wait, on every route. */
const api = useTestApi();

const keyIdOf = ({ site }: Given) => site.key.split('_')[2]!;

type End = (trx: Trx, given: Given) => Promise<unknown>;

/** The changes that end the authority of a write while it waits. */
const ENDS: Record<string, End> = {
  'its key expires': (trx, given) =>
    trx('api_keys')
      .where({ id: keyIdOf(given) })
      .update({ expires_at: trx.raw('clock_timestamp()') }),
  'its key is revoked': (trx, given) => revokeCredential(trx, 'api_key', keyIdOf(given)),
  'its key loses the scopes of bookings': (trx, given) =>
    trx('api_keys')
      .where({ id: keyIdOf(given) })
      .update({ scopes: ['catalog:read'] }),
  'its tenant is suspended': (trx, { site }) => changeTenantStatus(trx, site.tenant.slug, 'suspended'),
};

type Lock = (trx: Knex.Transaction, given: Given) => Promise<unknown>;

const departures: Lock = (trx, { departureId, other }) =>
  trx('departures').whereIn('id', [departureId, other.departureId].sort()).forUpdate().select('id');

/** The locks for which a subscription waits. */
const OF_SUBSCRIPTIONS: Record<string, Lock> = {
  // A command of the last release takes it.
  'the change of its tenant': (trx, { site }) =>
    trx.raw('select pg_advisory_xact_lock(hashtextextended(?, 8))', [site.tenant.id]),
  "the tenant's other subscriptions": (trx, { site }) =>
    trx.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`octo subscriptions ${site.tenant.id}`]),
  'the rows of the tenant': async (trx, { site }) => {
    await trx('tenants').where({ id: site.tenant.id }).forUpdate().select('id');
    await trx('webhook_endpoints').where({ tenant_id: site.tenant.id }).forUpdate().select('id');
  },
};

async function given(): Promise<Given> {
  return givenForWrites(api, await givenWebsite(api));
}

/** Returns all rows of the tenant that its writes change. */
async function rowsOf({ site }: Given): Promise<unknown> {
  const { rows } = await api.db.raw(
    `select (select jsonb_agg(h order by h.id) from seat_holds h where h.tenant_id = :id) as holds,
       (select jsonb_agg(l order by l.id) from booking_leads l where l.tenant_id = :id) as leads,
       (select jsonb_agg(e order by e.id) from webhook_endpoints e where e.tenant_id = :id) as endpoints`,
    { id: site.tenant.id },
  );
  return rows[0];
}

/** Sends a request while another transaction holds the lock, then ends the authority in this transaction and commits it. @returns the answer */
async function answerAfter(all: Given, send: Send, lock: Lock, end: End): Promise<Response> {
  const locking = await api.db.transaction();
  try {
    await lock(locking, all);
    const answer = send();
    await untilTransactionWaits(api.db);
    await end(locking as Trx, all);
    await locking.commit();
    return await answer;
  } finally {
    if (!locking.isCompleted()) await locking.rollback();
  }
}

/** Sends the request of a route, which waits for the lock until its key or tenant has ended. @returns what is wrong; undefined: nothing */
async function faultOf(
  [route, prepare]: [string, Prepare],
  lock: Lock,
  end: End,
): Promise<string | undefined> {
  const all = await given();
  const send = await prepare(all);
  const before = await rowsOf(all);
  const { status } = await answerAfter(all, send, lock, end);
  if (status !== 401) return `${route} answers ${status}`;
  return JSON.stringify(await rowsOf(all)) === JSON.stringify(before) ? undefined : `${route} commits`;
}

async function faultsOf(writes: Record<string, Prepare>, lock: Lock, end: End): Promise<string[]> {
  const faults: (string | undefined)[] = [];
  for (const write of Object.entries(writes)) faults.push(await faultOf(write, lock, end));
  return faults.filter((fault) => fault !== undefined);
}

describe.each(Object.entries(ENDS))('a write that waits while %s', (_, end) => {
  it('no change of seats that waits for its departure commits', async () => {
    expect(await faultsOf(SEAT_CHANGES, departures, end)).toEqual([]);
  });

  it.each(Object.entries(OF_SUBSCRIPTIONS))(
    'no subscription of OCTO that waits for %s commits',
    async (_name, lock) => {
      expect(await faultsOf(OTHER_WRITES, lock, end)).toEqual([]);
    },
  );
});

describe('a confirmation by OCTO, which needs two scopes', () => {
  it.each(['booking:create', 'booking:manage'])(
    'a confirmation whose key loses %s while it waits is refused',
    async (lost) => {
      const all = await given();
      const send = await SEAT_CHANGES['POST /octo/bookings/{uuid}/confirm']!(all);
      const { status } = await answerAfter(all, send, departures, (trx) =>
        trx('api_keys')
          .where({ id: keyIdOf(all) })
          .update({ scopes: SCOPES.filter((scope) => scope !== lost) }),
      );
      expect(status).toBe(401);
    },
  );
});
