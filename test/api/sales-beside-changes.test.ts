import { TourNotFoundError } from '../../services/api/catalog/catalog.errors';
import type { SeatHold } from '../../services/api/holds/seat-hold';
import { HoldLimitReachedError } from '../../services/api/holds/hold.errors';
import { claimOf, ReplayedResponse } from '../../services/api/idempotency/run-idempotent';
import { commitSales } from '../../services/api/sales/commit-sales';
import { SaleMovedError } from '../../services/api/departures/departure.errors';
import { decideHold } from '../../services/api/sales/decide-hold';
import { lockSales } from '../../services/api/sales/lock-sales';
import { readSaleFacts } from '../../services/api/sales/read-sale-facts';
import { TenantCounter } from '../../services/api/sales/tenant-limits';
import { prepareBooking, prepareHold } from '../../services/api/sales/prepare-sale';
import { type Sale, sellerWithoutKey } from '../../services/api/sales/sale';
import { transactSales } from '../../services/api/sales/transact-sales';
import { revokeCredential } from '../../services/api/credentials/manage-credentials';
import { changeTenantStatus, findTenantForChange } from '../../services/api/tenants/manage-tenants';
import { inTransaction, type Trx } from '../../services/platform/database';
import { createLogger } from '../../services/platform/logger';
import { useTestApi } from '../support/api';
import { givenTenant, givenVisibilityRule } from '../support/given';
import { expectProblem } from '../support/responses';
import { bookingRequest, holdRequest } from '../support/sell';
import { givenSeats, givenWebsite, seatsTaken } from '../support/website';

const api = useTestApi();

describe('a sale while an operator changes its tenant or key', () => {
  it.each([
    [
      'suspends the tenant',
      'tenant_inactive',
      async (trx: Trx, slug: string) => {
        await changeTenantStatus(trx, await findTenantForChange(trx, slug), 'suspended');
      },
    ],
    [
      'revokes the key',
      'key_revoked',
      async (trx: Trx, _slug: string, key: string) => {
        await revokeCredential(trx, 'api_key', key.split('_')[2]!);
      },
    ],
  ])('a sale waits while an operator %s, then answers %s', async (_title, code, change) => {
    const { db } = api;
    const [website, other] = [await givenWebsite(api), await givenWebsite(api)];
    const seats = await givenSeats(db);
    const place = async (site: typeof website, { tour, date } = seats) =>
      site.hold(tour, { departure_date: date, quantity: 1 });
    const changing = await db.transaction();
    await change(changing, website.tenant.slug, website.key);
    let waits = true;
    const answer = place(website).finally(() => (waits = false));
    expect((await place(other, await givenSeats(db))).status).toBe(201);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(waits).toBe(true);
    await changing.commit();
    expectProblem(await answer, 401, code);
    expect(await seatsTaken(db, seats)).toBe(0);
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
    const saleOf = (key: string): Sale => {
      const claim = claimOf<SeatHold>(
        {
          tenantId: tenant.id,
          operation: 'hold.place',
          key,
          body: {},
          validated: () => ({}),
          phoneCountry: 'DE',
          keepHours: 1,
          secret: 'x',
          toResponse: () => ({ status: 201, body: key }),
        },
        {},
      );
      return prepareHold(
        { ...sellerWithoutKey(tenant), claim },
        tour,
        { departureId, times: [] },
        holdRequest(date),
      );
    };
    const sales = ['first', 'second'].map(saleOf);
    const outcomesOf = async (trx: Trx, some: Sale[]) => (await transactSales(trx, some)).outcomes;
    await inTransaction(db, (trx) => outcomesOf(trx, sales));
    const other = await db.transaction();
    await outcomesOf(other, sales.slice(0, 1));
    const outcomes = await inTransaction(db, (trx) => outcomesOf(trx, sales));
    await other.rollback();
    const answer = new ReplayedResponse({ status: 201, body: 'second' });
    expect(outcomes).toEqual([{ kind: 'key in use' }, { kind: 'sold', sold: answer }]);
  });
});

describe('sales of one transaction', () => {
  const outcomesOf = (sales: Sale[]) =>
    inTransaction(api.db, async (trx) => (await transactSales(trx, sales)).outcomes);

  it("each sale of a batch obeys the tenant's share of seats that its own request has read", async () => {
    const { db } = api;
    const tenant = await givenTenant(db);
    const { tour, date, departureId } = await givenSeats(db);
    const saleAt = (maxHoldShare: number) =>
      prepareHold(
        sellerWithoutKey({ ...tenant, maxHoldShare }),
        tour,
        { departureId, times: [] },
        holdRequest(date),
      );
    const [limited, unlimited] = [saleAt(10), saleAt(100)];
    expect((await outcomesOf([unlimited])).map(({ kind }) => kind)).toEqual(['sold']);
    const [first, second] = await outcomesOf([limited, unlimited]);
    expect(first).toEqual({ kind: 'refused', refusal: expect.any(HoldLimitReachedError) });
    expect(second!.kind).toBe('sold');
  });

  it('a transaction of sales refuses a sale without a date to a tenant that does not see the tour', async () => {
    const { db } = api;
    const seeing = await givenTenant(db);
    const blind = await givenTenant(db, { defaultVisible: false });
    const { tour } = await givenSeats(db);
    const [first, second] = await outcomesOf([
      await prepareBooking(db, sellerWithoutKey(seeing), tour, bookingRequest()),
      await prepareBooking(db, sellerWithoutKey(blind), tour, bookingRequest()),
    ]);
    expect(first!.kind).toBe('sold');
    expect(second).toEqual({ kind: 'refused', refusal: expect.any(TourNotFoundError) });
  });

  it('a booking without a date gets SaleMovedError once a hold with its reference exists', async () => {
    const { db } = api;
    const tenant = await givenTenant(db);
    const { tour, date, departureId } = await givenSeats(db);
    const seller = sellerWithoutKey(tenant);
    const hold = prepareHold(
      seller,
      tour,
      { departureId, times: [] },
      holdRequest(date, { externalRef: 'cart-7' }),
    );
    // Prepares the booking before the hold exists.
    const booking = await prepareBooking(db, seller, tour, bookingRequest({ externalRef: 'cart-7' }));
    expect(booking.departureId).toBeNull();
    const [first, second] = await outcomesOf([hold, booking]);
    expect(first!.kind).toBe('sold');
    expect(second).toEqual({ kind: 'refused', refusal: expect.any(SaleMovedError) });
    expect(await outcomesOf([booking])).toEqual([{ kind: 'refused', refusal: expect.any(SaleMovedError) }]);
  });

  it('a transaction of sales sees no hold that was decided but not written', async () => {
    const { db } = api;
    const tenant = await givenTenant(db);
    const { tour, date, departureId } = await givenSeats(db);
    const sale = prepareHold(sellerWithoutKey(tenant), tour, { departureId, times: [] }, holdRequest(date));
    const factsOf = () =>
      inTransaction(db, async (trx) => {
        const locks = await lockSales(trx, [sale], () => true);
        return (await readSaleFacts(trx, [sale], locks, new TenantCounter())).facts;
      });
    decideHold(await factsOf(), sale, '00000000-0000-4000-8000-000000000000');
    expect((await factsOf()).holds).toEqual([]);
  });

  it('a batch that sold nothing reports a rollback when the connection is lost at COMMIT', async () => {
    const work = async (trx: Trx) => {
      await trx.raw('select pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
      return { outcomes: [], transactionId: null };
    };
    const outcome = await commitSales({ db: api.db, log: createLogger('silent', 'api') }, [], work, Infinity);
    expect(outcome).toEqual({ error: expect.any(Error), rolledBack: true });
  });
});
