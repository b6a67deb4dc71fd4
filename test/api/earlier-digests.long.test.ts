import { randomUUID } from 'node:crypto';
import { useTestApi } from '../support/api';
import { EARLIER_PHONES, earlierFingerprint, storeEarlierFingerprint } from '../support/earlier-digests';
import { expectProblem, expectReplay } from '../support/responses';
import { givenSeats, useWebsite } from '../support/website';

const api = useTestApi();
const website = useWebsite(api, { country: 'DE' });
const REUSED = 'idempotency_key_reused';

const setCountry = (country: string) =>
  api.db('tenants').where({ id: website.tenant.id }).update({ country });
afterEach(() => setCountry('DE'));

/** A write with a phone number, and the value whose digest release 0.1.0 has stored for it. */
interface EarlierWrite {
  send(phone: string, key: string): ReturnType<typeof website.post>;
  value(phone: object): unknown;
}

const headersOf = (key: string) => ({ 'idempotency-key': key });

async function givenBooking(): Promise<EarlierWrite> {
  const { tour, date } = await givenSeats(api.db, {
    seats: 40,
    prices: { adult: 50_000, child: 30_000 },
  });
  const order = { tour_id: tour.slug, departure_date: date, children: 1, notes: 'One\nTwo' };
  return {
    send: (phone, key) => website.book({ ...order, phone }, headersOf(key)),
    value: (phone) => ({
      subject: { tour: tour.id, hold: null },
      body: {
        departureDate: date,
        party: { adult: 1, child: 1, single_supplement: 0 },
        travellers: null,
        customer: { name: 'Ana Lima', email: 'ana@example.com', ...phone },
        paymentMethod: null,
        holdId: null,
        expectedTotal: null,
        externalRef: null,
        notes: 'One\nTwo',
      },
    }),
  };
}

async function givenHold(): Promise<EarlierWrite> {
  const { tour, date } = await givenSeats(api.db, { seats: 40 });
  return {
    send: (phone, key) =>
      website.hold(tour, { departure_date: date, quantity: 2, customer: { phone } }, headersOf(key)),
    value: (phone) => ({
      subject: { tour: tour.id },
      body: {
        departureDate: date,
        party: { adult: 2, child: 0, single_supplement: 0 },
        externalRef: null,
        customer: { name: null, email: null, ...phone },
      },
    }),
  };
}

async function givenHoldChange(): Promise<EarlierWrite> {
  const { tour, date } = await givenSeats(api.db, { seats: 40 });
  const { body } = await website.hold(tour, { departure_date: date, quantity: 1 });
  return {
    send: (phone, key) =>
      website.patch(
        `/api/gateway/holds/${body.hold_id}`,
        { quantity: 2, customer: { phone } },
        headersOf(key),
      ),
    value: (phone) => ({ subject: { hold: body.hold_id }, body: { quantity: 2, customer: phone } }),
  };
}

async function givenBookingChange(): Promise<EarlierWrite> {
  const { tour, date } = await givenSeats(api.db, { seats: 40 });
  const { body } = await website.book({ tour_id: tour.id, departure_date: date });
  return {
    send: (phone, key) =>
      website.patch(`/api/tenant/bookings/${body.booking_ref}`, { adults: 2, phone }, headersOf(key)),
    value: (phone) => ({
      subject: { booking: body.booking_ref },
      body: { party: { adult: 2 }, customer: phone, expectedTotal: null },
    }),
  };
}

const WRITES: [string, () => Promise<EarlierWrite>][] = [
  ['a booking', givenBooking],
  ['a hold', givenHold],
  ['the change of a hold', givenHoldChange],
  ['the change of a booking', givenBookingChange],
];

describe.each(WRITES)('%s whose answer an earlier release has stored', (_name, given) => {
  it('a repeat gets the answer that 0.1.0 has stored, whatever the phone number says', async () => {
    const { send, value } = await given();
    for (const { sent, in010 } of EARLIER_PHONES) {
      const key = randomUUID();
      const first = await send(sent, key);
      expect(first.status).toBeLessThan(300);
      await storeEarlierFingerprint(api, website, key, value({ phone: in010 }));
      expectReplay(await send(sent, key), first);
      await setCountry('AT');
      expectReplay(await send(sent, key), first);
      expectProblem(await send('+49 30 111111', key), 422, REUSED);
      await setCountry('DE');
    }
  });

  it('a repeat gets the answer that a build after 0.1.0 has stored', async () => {
    const { send, value } = await given();
    for (const { sent, in010, now = in010 } of EARLIER_PHONES) {
      const key = randomUUID();
      const first = await send(sent, key);
      // A Mexican number has no text beside it.
      const phoneAsSent = now === '+525512345678' ? undefined : sent;
      await storeEarlierFingerprint(api, website, key, value({ phone: now, phoneAsSent }));
      expectReplay(await send(sent, key), first);
      expectProblem(await send('+49 30 111111', key), 422, REUSED);
    }
  });

  it('a repeat that adds a remark to the phone number is another request for an answer of this release', async () => {
    const { send } = await given();
    const key = randomUUID();
    const first = await send('+49 170 1234567', key);
    expectReplay(await send('+49 (170) 1234567', key), first);
    expectProblem(await send('+49 170 1234567 (WhatsApp)', key), 422, REUSED);
  });

  it('a repeat after the tenant has moved to another country reads a number at home by the first country', async () => {
    const { send } = await given();
    const key = randomUUID();
    const first = await send('0170 1234567 (WhatsApp)', key);
    await setCountry('AT');
    expectReplay(await send('0170 1234567 (WhatsApp)', key), first);
    expectProblem(await send('+43 170 1234567 (WhatsApp)', key), 422, REUSED);
  });
});

it('the digest of 0.1.0 in these tests is the one that its code has computed', () => {
  const body = {
    departureDate: '2040-01-02',
    party: { adult: 2, child: 1, single_supplement: 0 },
    travellers: null,
    customer: { name: 'Zoë Lima', phone: '+491701234567', email: 'zoe@example.com' },
    paymentMethod: null,
    holdId: null,
    expectedTotal: null,
    externalRef: null,
    notes: 'One\nTwo',
  };
  const subject = { tour: '00000000-0000-4000-8000-000000000001', hold: null };
  expect(earlierFingerprint('DE', { subject, body }).toString('hex')).toBe(
    '44458240d65831462aa168d4f8e3f650c663de26daafb109f1367a1bb401b9eafee4',
  );
});
