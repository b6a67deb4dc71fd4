import { setTimeout as sleep } from 'node:timers/promises';
import { TourNotFoundError } from '../../services/api/catalog/catalog.errors';
import type { SeatHold } from '../../services/api/holds/seat-hold';
import { HoldLimitReachedError } from '../../services/api/holds/hold.errors';
import { claimOf, ReplayedResponse } from '../../services/api/idempotency/key-claim';
import { commitChanges } from '../../services/api/seats/queue/commit-changes';
import { SaleChangedError } from '../../services/api/departures/check-seats';
import { createBooking } from '../../services/api/seats/changes/create-booking';
import { placeHold } from '../../services/api/seats/changes/place-hold';
import { releaseHold } from '../../services/api/seats/changes/release-hold';
import { type SeatChange, sellerWithoutKey } from '../../services/api/seats/seat-change';
import { lockChanges } from '../../services/api/seats/lock';
import { readFacts } from '../../services/api/seats/read/read-facts';
import { transactChanges } from '../../services/api/seats/transact-changes';
import type { ApiKeyPrincipal } from '../../services/api/credentials/credential';
import { revokeCredential } from '../../services/api/credentials/manage-credentials';
import { lockKeyForUse, verifyKeyAgain } from '../../services/api/credentials/verify-credential';
import { changeTenantStatus, findTenantForChange } from '../../services/api/tenants/manage-tenants';
import { awaitUses, lockForUse } from '../../services/api/tenants/use-lock';
import { inTransaction, type Trx } from '../../services/platform/database/database';
import { createLogger } from '../../services/platform/logger';
import { useTestApi } from '../support/api';
import { givenTenant, givenVisibilityRule } from '../support/given';
import { expectProblem } from '../support/responses';
import { bookingRequest, holdRequest } from '../support/sell';
import { givenSeats, givenWebsite, seatsTaken } from '../support/website';

const api = useTestApi();

describe('a sale while an operator ends its tenant or key', () => {
  it.each<[title: string, code: string, end: (trx: Trx, slug: string, keyId: string) => Promise<unknown>]>([
    ['suspends the tenant', 'tenant_inactive', (trx, slug) => changeTenantStatus(trx, slug, 'suspended')],
    ['revokes the key', 'key_revoked', (trx, _, keyId) => revokeCredential(trx, 'api_key', keyId)],
  ])(
    'a sale does not wait for an operator who %s, and answers %s from the COMMIT on',
    async (_, code, end) => {
      const { db } = api;
      const website = await givenWebsite(api);
      const seats = await givenSeats(db);
      const place = () => website.hold(seats.tour, { departure_date: seats.date, quantity: 1 });
      const ending = await db.transaction();
      await end(ending, website.tenant.slug, website.key.split('_')[2]!);
      expect((await place()).status).toBe(201);
      await ending.commit();
      expectProblem(await place(), 401, code);
      expect(await seatsTaken(db, seats)).toBe(1);
    },
  );

  it('the wait for uses of a key or a tenant lasts until the transactions that use it have ended', async () => {
    const { db } = api;
    const { tenant, key } = await givenWebsite(api);
    const keyId = key.split('_')[2]!;
    const principal = await verifyKeyAgain(db, { keyId, scope: 'booking:create' } as ApiKeyPrincipal);
    const uses = [await db.transaction(), await db.transaction()];
    for (const trx of uses) await lockKeyForUse(trx, principal);
    for (const id of [keyId, tenant.id]) {
      expect(await awaitUses(db, id, { atMostMs: 50 })).toBe(false);
      expect(await awaitUses(db, id, { atMostMs: 60_000, signal: AbortSignal.abort() })).toBe(false);
    }
    await uses[0]!.rollback();
    const waits = [keyId, tenant.id].map((id) => awaitUses(db, id, { atMostMs: 10_000 }));
    expect(await Promise.race([...waits, sleep(100, 'waiting')])).toBe('waiting');
    await uses[1]!.commit();
    expect(await Promise.all(waits)).toEqual([true, true]);
  });

  it('a wait for uses ends when the transactions that used the tenant at its beginning have ended, although others use it', async () => {
    const { db } = api;
    const { tenant } = await givenWebsite(api);
    const [before, after] = [await db.transaction(), await db.transaction()];
    await lockForUse(before, [tenant.id]);
    const wait = awaitUses(db, tenant.id, { atMostMs: 60_000 });
    await sleep(50);
    await lockForUse(after, [tenant.id]);
    await before.commit();
    expect(await wait).toBe(true);
    await after.commit();
  });

  it('a wait for uses delays no other use', async () => {
    const { db } = api;
    const { tenant } = await givenWebsite(api);
    const using = await db.transaction();
    await lockForUse(using, [tenant.id]);
    const wait = awaitUses(db, tenant.id, { atMostMs: 10_000 });
    for (let n = 0; n < 20; n++) await inTransaction(db, (trx) => lockForUse(trx, [tenant.id]));
    expect(await Promise.race([wait, sleep(1, 'waiting')])).toBe('waiting');
    await using.commit();
    expect(await wait).toBe(true);
  });
});

describe('a change of a tenant', () => {
  it('a change of a tenant does not wait for an open transaction that inserted a visibility rule', async () => {
    const { db } = api;
    const website = await givenWebsite(api);
    const { tenant } = website;
    const writing = await db.transaction();
    await givenVisibilityRule(writing, website, 'asia', true);
    const { id } = await inTransaction(db, (trx) => findTenantForChange(trx, tenant.slug));
    expect(id).toBe(tenant.id);
    await writing.rollback();
  });
});

describe('a repeat while its answer is being erased', () => {
  it('a repeat whose answer is being erased gets idempotency_in_progress and delays no sale', async () => {
    const { db } = api;
    const website = await givenWebsite(api);
    const seats = await givenSeats(db);
    const place = async (key: string) =>
      website.hold(seats.tour, { departure_date: seats.date, quantity: 1 }, { 'idempotency-key': key });
    expect((await place('erased')).status).toBe(201);
    const erasing = await db.transaction();
    await erasing('idempotency_keys').where({ key: 'erased' }).forUpdate().select('key');
    let waits = true;
    const repeat = place('erased').finally(() => (waits = false));
    expect((await place('other')).status).toBe(201);
    expect(waits).toBe(true);
    expectProblem(await repeat, 409, 'idempotency_in_progress');
    await erasing.rollback();
  });
});

describe('sales with keys', () => {
  it('a sale whose Idempotency-Key is in use does not delay the other sales of its batch', async () => {
    const { db } = api;
    const tenant = await givenTenant(db);
    const { tour, date, departureId } = await givenSeats(db);
    const saleOf = (key: string): SeatChange => {
      const claim = claimOf<SeatHold>(
        {
          tenantId: tenant.id,
          operation: 'hold.place',
          key,
          validated: () => ({}),
          phoneCountry: 'DE',
          keepHours: 1,
          keyFamily: 'AAAAAAAAAAAA',
          secret: 'x',
          toResponse: () => ({ status: 201, body: key }),
        },
        {},
      );
      return placeHold(
        { ...sellerWithoutKey(tenant), claim },
        tour,
        { departureId, times: [] },
        holdRequest(date),
      );
    };
    const sales = ['first', 'second'].map(saleOf);
    const outcomesOf = async (trx: Trx, some: SeatChange[]) => (await transactChanges(trx, some)).outcomes;
    await inTransaction(db, (trx) => outcomesOf(trx, sales));
    const other = await db.transaction();
    await outcomesOf(other, sales.slice(0, 1));
    const outcomes = await inTransaction(db, (trx) => outcomesOf(trx, sales));
    await other.rollback();
    const answer = new ReplayedResponse({ status: 201, body: 'second' }, 'AAAAAAAAAAAA');
    expect(outcomes).toEqual([{ kind: 'key in use' }, { kind: 'replayed', answer }]);
  });
});

describe('sales of one transaction', () => {
  const outcomesOf = (sales: SeatChange[]) =>
    inTransaction(api.db, async (trx) => (await transactChanges(trx, sales)).outcomes);

  it("each sale of a batch obeys the tenant's share of seats that its own request has read", async () => {
    const { db } = api;
    const tenant = await givenTenant(db);
    const { tour, date, departureId } = await givenSeats(db);
    const saleAt = (maxHoldShare: number) =>
      placeHold(
        sellerWithoutKey({ ...tenant, maxHoldShare }),
        tour,
        { departureId, times: [] },
        holdRequest(date),
      );
    const [limited, unlimited] = [saleAt(10), saleAt(100)];
    expect((await outcomesOf([unlimited])).map(({ kind }) => kind)).toEqual(['answered']);
    const [first, second] = await outcomesOf([limited, unlimited]);
    expect(first).toEqual({ kind: 'refused', refusal: expect.any(HoldLimitReachedError) });
    expect(second!.kind).toBe('answered');
  });

  it('a transaction of sales refuses a sale without a date to a tenant that does not see the tour', async () => {
    const { db } = api;
    const seeing = await givenTenant(db);
    const blind = await givenTenant(db, { defaultVisible: false });
    const { tour } = await givenSeats(db);
    const [first, second] = await outcomesOf([
      await createBooking(db, sellerWithoutKey(seeing), tour, bookingRequest()),
      await createBooking(db, sellerWithoutKey(blind), tour, bookingRequest()),
    ]);
    expect(first!.kind).toBe('answered');
    expect(second).toEqual({ kind: 'refused', refusal: expect.any(TourNotFoundError) });
  });

  it('a booking without a date gets SaleChangedError once a hold with its reference exists', async () => {
    const { db } = api;
    const tenant = await givenTenant(db);
    const { tour, date, departureId } = await givenSeats(db);
    const seller = sellerWithoutKey(tenant);
    const hold = placeHold(
      seller,
      tour,
      { departureId, times: [] },
      holdRequest(date, { externalRef: 'cart-7' }),
    );
    // Prepares the booking before the hold exists.
    const booking = await createBooking(db, seller, tour, bookingRequest({ externalRef: 'cart-7' }));
    expect(booking.locks.departureIds).toEqual([]);
    const [first, second] = await outcomesOf([hold, booking]);
    expect(first!.kind).toBe('answered');
    expect(second).toEqual({ kind: 'refused', refusal: expect.any(SaleChangedError) });
    expect(await outcomesOf([booking])).toEqual([{ kind: 'refused', refusal: expect.any(SaleChangedError) }]);
  });

  it('a transaction of sales sees no hold that was decided but not written', async () => {
    const { db } = api;
    const tenant = await givenTenant(db);
    const { tour, date, departureId } = await givenSeats(db);
    const sale = placeHold(sellerWithoutKey(tenant), tour, { departureId, times: [] }, holdRequest(date));
    const factsOf = () =>
      inTransaction(db, async (trx) => {
        const locks = await lockChanges(trx, [sale], () => true);
        return (await readFacts(trx, [sale], locks)).facts;
      });
    sale.decide(await factsOf());
    expect((await factsOf()).holds).toEqual([]);
  });

  it.each([
    ['committed', true, { committed: { outcomes: [{ kind: 'answered' }] } }, 0],
    ['rolled back', false, { rolledBack: true }, 2],
  ])(
    'a change is known to be %s when the connection is lost at COMMIT',
    async (_, isCommitted, expected, taken) => {
      const { db } = api;
      const website = await givenWebsite(api);
      const seats = await givenSeats(db);
      const { body } = await website.hold(seats.tour, { departure_date: seats.date, quantity: 2 });
      const seller = sellerWithoutKey(website.tenant);
      const change = await releaseHold(db, seller, { holdId: body.hold_id, by: null });
      const work = async (trx: Trx) => {
        const written = await transactChanges(trx, [change]);
        // Begins with a comment, because the work of a transaction may send no COMMIT.
        if (isCommitted) await trx.raw('/* sent by the test */ commit');
        await trx.raw('select pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
        return written;
      };
      const result = await commitChanges({ db, log: createLogger('silent', 'api') }, [], work, Infinity);
      expect(result).toMatchObject(expected);
      expect(await seatsTaken(db, seats)).toBe(taken);
    },
  );

  it('a batch that sold nothing reports a rollback when the connection is lost at COMMIT', async () => {
    const work = async (trx: Trx) => {
      await trx.raw('select pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
      const rows = { newHolds: [], newLeads: [], changedHolds: [], changedLeads: [] };
      return { outcomes: [], freed: [], transactionId: null, rows, resourceIds: new Map() };
    };
    const outcome = await commitChanges(
      { db: api.db, log: createLogger('silent', 'api') },
      [],
      work,
      Infinity,
    );
    expect(outcome).toEqual({ error: expect.any(Error), rolledBack: true });
  });
});
