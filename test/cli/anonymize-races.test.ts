import { anonymizeBooking } from '../../services/api/seats/changes/erase-customer';
import { type Db, inTransaction, type Trx } from '../../services/platform/database/database';
import { addEndpoint } from '../../services/webhook-queue/endpoints/add-endpoint';
import { eraseCustomer } from '../../services/webhook-queue/deliveries/erase-customer';
import { changeDepartures } from '../support/change';
import { untilItMeetsKey } from '../support/claimed-key';
import { useTestApi } from '../support/api';
import { untilTransactionWaits } from '../support/lock-wait';
import { CUSTOMER, givenSeats, givenWebsite, type Seats, type Website } from '../support/website';
import { useTerminalOf } from './terminal';

/** An idempotency key that names the customer. */
const KEY_OF_CUSTOMER = { 'Idempotency-Key': CUSTOMER.email };

const api = useTestApi();
const terminal = useTerminalOf(api);
let db: Db;
let site: Website;
let seats: Seats;
let ref: string;
beforeAll(() => void ({ db } = api));
beforeEach(async () => {
  site = await givenWebsite(api);
  seats = await givenSeats(db);
  const order = { tour_id: seats.tour.id, departure_date: seats.date, external_ref: 'lima-ana-7' };
  ref = (await site.book(order)).body.booking_ref;
});

/** @param meanwhile runs after the erasure and before its COMMIT */
async function anonymize(meanwhile: (trx: Trx) => Promise<void> = async () => {}): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { identifiesPerson } = (await changeDepartures(
      trx,
      anonymizeBooking(trx, ref, api.context.secrets.cursorKey),
    ))!;
    await eraseCustomer(trx, { bookingRef: ref, hold: null }, { identifiesPerson, evenUndelivered: true });
    await meanwhile(trx);
  });
}

describe('while a booking is anonymized', () => {
  const addStandardEndpoint = (trx: Trx) =>
    addEndpoint(trx, 's'.repeat(32), {
      tenantId: site.tenant.id,
      url: 'https://acme.example/hook',
      format: 'standard',
    });
  async function expectBodyWithoutCustomer(): Promise<void> {
    const bodies = await db('webhook_deliveries').where({ tenant_id: site.tenant.id }).pluck('body');
    expect(bodies.map((body) => JSON.parse(body).data.customer)).toEqual([
      { name: null, phone: null, email: null },
    ]);
  }

  it('an endpoint that is added during the anonymization receives a body without the customer', async () => {
    let adding: Promise<unknown> | undefined;
    await anonymize(async () => {
      adding = inTransaction(db, addStandardEndpoint);
      await untilTransactionWaits(db);
    });
    await adding;
    await expectBodyWithoutCustomer();
  });

  it('the anonymization waits for an endpoint that is being added, and rewrites its delivery', async () => {
    let erasing: Promise<unknown> | undefined;
    await inTransaction(db, async (trx) => {
      await addStandardEndpoint(trx);
      erasing = anonymize();
      await untilTransactionWaits(db);
    });
    await erasing;
    await expectBodyWithoutCustomer();
  });

  it('anonymization erases the stored response of a request that began before the anonymization', async () => {
    let confirming: ReturnType<Website['post']>;
    let erasing: Promise<unknown> | undefined;
    await inTransaction(db, async (trx) => {
      await trx.raw('select from departures where tour_id = ? for update', [seats.tour.id]);
      const path = `/api/tenant/bookings/${ref}/confirm`;
      confirming = site.post(path, undefined, { 'Idempotency-Key': 'confirm-1' });
      await untilTransactionWaits(db);
      erasing = anonymize();
      await untilTransactionWaits(db, 2);
    });
    expect((await confirming!).body.status).toBe('confirmed');
    await erasing;
    expect(await db('idempotency_keys').where({ tenant_id: site.tenant.id }).select('key', 'answer')).toEqual(
      [{ key: 'confirm-1', answer: null }],
    );
    const events = await db('webhook_events').where({ booking_ref: ref }).pluck('body');
    expect(events.join()).not.toMatch(/lima/i);
  });

  it('the anonymization waits for a running change of the customer, and erases the changed customer', async () => {
    let erasing: Promise<unknown> | undefined;
    let changing: ReturnType<Website['patch']>;
    await inTransaction(db, async (trx) => {
      await trx.raw('select from departures where tour_id = ? for update', [seats.tour.id]);
      const rui = { name: 'Rui Costa', email: 'rui@example.com', external_ref: 'rui.costa-9' };
      const key = { 'Idempotency-Key': 'change-rui@example.com' };
      changing = site.patch(`/api/tenant/bookings/${ref}`, rui, key);
      await untilTransactionWaits(db);
      erasing = anonymize();
      await untilTransactionWaits(db, 2);
    });
    expect((await changing!).body.external_ref).toBe('rui.costa-9');
    await erasing;
    expect(await db('booking_leads').where({ booking_ref: ref }).first()).toMatchObject({
      externalRef: null,
    });
    const keys = await db('idempotency_keys').where({ tenant_id: site.tenant.id }).pluck('key');
    expect(keys).toEqual([expect.stringMatching(/^erased:/)]);
  });

  it('the audit row of a change that waited for the anonymization does not contain the customer', async () => {
    let changing: ReturnType<typeof terminal.tourctl>;
    await anonymize(async () => {
      changing = terminal.tourctl(`booking confirm ${ref} --json`);
      await untilTransactionWaits(db);
    });
    expect((await changing!).code).toBe(0);
    const row = await db('audit_log').where({ subject: ref }).first('before', 'after');
    expect([row.before, row.after]).toMatchObject([
      { status: 'pending_payment', external_ref: null, anonymized_at: expect.any(String) },
      { status: 'confirmed', external_ref: null },
    ]);
  });

  it('a repeated request whose idempotency key names the customer waits and does not book again', async () => {
    const book = () => site.book({ tour_id: seats.tour.id, departure_date: seats.date }, KEY_OF_CUSTOMER);
    ref = (await book()).body.booking_ref;
    let repeating: ReturnType<Website['book']>;
    await anonymize(async () => {
      repeating = book();
      await untilItMeetsKey(repeating);
    });
    const repeats = [await repeating!, await book()];
    expect(repeats.map(({ status, body }) => [status, body.code])).toEqual([
      [422, 'idempotency_key_reused'],
      [422, 'idempotency_key_reused'],
    ]);
    expect(await db('booking_leads').where({ tenant_id: site.tenant.id })).toHaveLength(2);
    const keys = await db('idempotency_keys').where({ tenant_id: site.tenant.id }).pluck('key');
    expect(keys).toEqual([expect.stringMatching(/^erased:[\w-]{43}$/)]);
  });

  it('a request can use the same idempotency key after the erased one has expired', async () => {
    const book = () => site.book({ tour_id: seats.tour.id, departure_date: seats.date }, KEY_OF_CUSTOMER);
    ref = (await book()).body.booking_ref;
    await anonymize();
    await db('idempotency_keys').update({ expires_at: db.raw('now()') });
    const again = await book();
    expect(again.status).toBe(201);
    expect((await book()).text).toBe(again.text);
  });
});

it('tourctl booking anonymize says booking_busy, not departure_busy, if others change the customer during each of its three tries', async () => {
  const lockThenRename = async (name: string) => {
    const trx = await db.transaction();
    await trx.raw('select from departures where tour_id = ? for update', [seats.tour.id]);
    await trx('booking_leads').where({ booking_ref: ref }).update({ customer_name: name });
    return trx;
  };
  const first = await lockThenRename('Ana 1');
  const refused = terminal.refusal(`booking anonymize ${ref} --yes`);
  await untilTransactionWaits(db);
  const second = lockThenRename('Ana 2');
  await untilTransactionWaits(db, 2);
  await first.commit();
  const third = await second.then(async (trx) => {
    await untilTransactionWaits(db);
    const next = lockThenRename('Ana 3');
    await untilTransactionWaits(db, 2);
    await trx.commit();
    return next;
  });
  await untilTransactionWaits(db);
  await third.commit();
  expect(await refused).toBe('1 booking_busy');
});

describe('the anonymization of a booking whose customer was replaced', () => {
  it('tourctl booking anonymize erases the reference and the idempotency key that name the first customer', async () => {
    const order = {
      tour_id: seats.tour.id,
      name: 'Ana Lima',
      email: 'ana@example.com',
      external_ref: 'ana.lima-7',
    };
    const booked = await site.book(order, { 'Idempotency-Key': 'book-ana@example.com' });
    const { booking_ref } = booked.body;
    const rui = { name: 'Rui Costa', phone: '030 901821', email: 'rui@example.com' };
    expect((await site.patch(`/api/tenant/bookings/${booking_ref}`, rui)).status).toBe(200);
    expect((await terminal.tourctl(`booking anonymize ${booking_ref} --yes --json`)).code).toBe(0);
    const lead = await db('booking_leads').where({ booking_ref }).first('external_ref');
    expect(lead.externalRef).toBeNull();
    const keys = await db('idempotency_keys').where({ tenant_id: site.tenant.id }).pluck('key');
    expect(keys).toEqual([expect.stringMatching(/^erased:/)]);
  });
});
