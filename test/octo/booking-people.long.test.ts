import { randomBytes, randomUUID } from 'node:crypto';
import { useTerminalOf } from '../cli/terminal';
import { startApiProcess } from '../support/api-process';
import { useTestApi } from '../support/api';
import { add } from '../webhook-queue/queue-fixture';
import { holdIdOf, reservationOf, useConformance } from './conformance-api';
import { expectOcto, expectOctoError } from './schemas';

const api = useTestApi();
const { reseller, tours } = useConformance(api);
const terminal = useTerminalOf(api);

/** Returns a person with a unique text in the name, phone and email. */
function somebody() {
  const mark = randomBytes(4).toString('hex');
  const contact = {
    firstName: 'Xaver',
    lastName: `Quill${mark}`,
    emailAddress: `x.${mark}@example.com`,
    phoneNumber: '+49 30 901820',
    notes: `Quill${mark} is vegan`,
    postalCode: '10115',
  };
  return { mark, contact };
}

function reservation({ mark, contact }: ReturnType<typeof somebody>) {
  return {
    ...reservationOf(tours.startTime),
    uuid: randomUUID(),
    contact,
    notes: `Quill${mark} comes late`,
    resellerReference: `xaver-quill${mark}`,
    unitItems: [{ unitId: 'adult', contact, resellerReference: `quill${mark}-xaver-1` }],
  };
}

/** Returns the tables with rows that have the mark. */
async function tracesOf(mark: string): Promise<string[]> {
  const { rows } = await api.db.raw(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind = 'r'`,
  );
  const found = new Set<string>();
  for (const { name } of rows as { name: string }[]) {
    const { rows: matching } = await api.db.raw(
      `select from ${name} t where row_to_json(t)::text ~* ? limit 1`,
      [mark],
    );
    if (matching.length > 0) found.add(name.replace(/_\d{4}_\d\d$|_default$/, ''));
  }
  return [...found].sort();
}

describe('the people of an OCTO booking', () => {
  it('the manifest of the departure lists the people of the unit items, masked unless revealed', async () => {
    const { mark, contact } = somebody();
    const body = reservation({ mark, contact });
    expectOcto(await reseller.post('/octo/bookings', body), 'booking');
    const confirmed = await reseller.post(`/octo/bookings/${body.uuid}/confirm`, { contact });
    const { supplierReference } = expectOcto(confirmed, 'booking') as { supplierReference: string };
    const [{ date, tour }] = await api
      .db('booking_leads as l')
      .join('tours as t', 't.id', 'l.tour_id')
      .where({ booking_ref: supplierReference })
      .select('l.departure_date as date', 't.slug as tour');
    const line = `departure manifest ${tour} ${date}`;
    const bookingOf = (json: { bookings: { booking_ref: string }[] }) =>
      json.bookings.find(({ booking_ref }) => booking_ref === supplierReference);
    expect(bookingOf(await terminal.json(`${line} --reveal`))).toMatchObject({
      name: `Xaver Quill${mark}`,
      phone: '+4930901820',
      travellers: [
        {
          category: 'adult',
          first_name: 'Xaver',
          last_name: `Quill${mark}`,
          birth_date: null,
          note: `Quill${mark} is vegan`,
        },
      ],
      notes: `Quill${mark} comes late`,
      external_ref: `xaver-quill${mark}`,
    });
    for (const form of ['', '--csv', '--json'])
      expect((await terminal.tourctl(`${line} ${form}`)).stdout).not.toContain(mark);
    const [row] = await api.db('booking_leads').where({ booking_ref: supplierReference }).select('hold_id');
    await api
      .db('octo_bookings')
      .where({ hold_id: row.holdId })
      .update({
        unit_items: JSON.stringify([
          {
            uuid: randomUUID(),
            unitId: 'child',
            resellerReference: null,
            contact: { fullName: 'Eva Quill' },
          },
        ]),
      });
    expect((await terminal.tourctl(`${line} --reveal`)).stdout).toContain('- Eva Quill (child)\n');
  });

  it('tourctl booking anonymize erases the people of a booking everywhere, and no later call restores them', async () => {
    const person = somebody();
    const body = reservation(person);
    const at = (call: string) => `/octo/bookings/${body.uuid}${call}`;
    const key = { 'Idempotency-Key': 'reserve-1' };
    await add(api.db, reseller.tenant.id, 'https://acme.example/hook', [
      'booking.created',
      'booking.confirmed',
    ]);
    expectOcto(await reseller.post('/octo/bookings', body, key), 'booking');
    const soldOut = { ...body, uuid: randomUUID(), availabilityId: tours.startTime.soldOut.id };
    await reseller.post('/octo/bookings', soldOut);
    await api.context.refusals.write(api.db);
    await reseller.post(at('/extend'), { expirationMinutes: 30 }, { 'Idempotency-Key': 'extend-1' });
    await reseller.patch(at(''), { notes: `${person.mark} again` }, { 'Idempotency-Key': 'change-1' });
    const confirmed = await reseller.post(
      at('/confirm'),
      { contact: person.contact },
      { 'Idempotency-Key': 'confirm-1' },
    );
    const { supplierReference } = expectOcto(confirmed, 'booking');
    const before = ['booking_leads', 'idempotency_keys', 'octo_bookings', 'seat_holds', 'webhook_events'];
    expect(await tracesOf(person.mark)).toEqual(before);

    const { code } = await terminal.tourctl(`booking anonymize ${supplierReference} --yes --force`);

    expect([code, await tracesOf(person.mark)]).toEqual([0, []]);
    const now = expectOcto(await reseller.get(at('')), 'booking');
    expect(now).toMatchObject({ status: 'CONFIRMED', notes: null, resellerReference: null });
    const nobody = Object.fromEntries(Object.keys(now.contact).map((field) => [field, null]));
    expect([now.contact, now.unitItems[0].contact]).toEqual(Array(2).fill({ ...nobody, locales: [] }));
    const repeat = await reseller.post('/octo/bookings', body);
    expectOctoError(repeat, 400, 'INVALID_BOOKING_UUID', { uuid: body.uuid });
    // The key is found before the UUID, and its answer was erased.
    expectOctoError(await reseller.post('/octo/bookings', body, key), 400, 'BAD_REQUEST');
    const again = await reseller.patch(at(''), { contact: person.contact });
    expectOctoError(again, 400, 'UNPROCESSABLE_ENTITY');
    await reseller.post(at('/confirm'), { contact: person.contact });
    expect(await tracesOf(person.mark)).toEqual([]);
  });

  it('no log line and no metric has the people of an OCTO booking', async () => {
    const person = somebody();
    const { database } = api;
    const service = await startApiProcess(database.url, { LOG_LEVEL: 'debug' });
    const post = async (path: string, body: object) =>
      fetch(service.baseUrl + path, {
        method: 'POST',
        headers: { authorization: reseller.authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const body = reservation(person);
    const statuses = [
      (await post('/octo/bookings', body)).status,
      (await post('/octo/bookings', { ...body, notes: 'other' })).status,
      (await post(`/octo/bookings/${body.uuid}/confirm`, { contact: { emailAddress: person.mark } })).status,
      (await post(`/octo/bookings/${body.uuid}/confirm`, { contact: person.contact })).status,
    ];
    const metrics = await service.metrics();
    await service.stop();
    expect(statuses).toEqual([200, 400, 400, 200]);
    expect(service.log()).toContain('/octo/bookings');
    expect(service.log() + metrics).not.toMatch(new RegExp(person.mark, 'i'));
  });
});

describe('the customer of a booking that REST or the tenant has changed', () => {
  const other = { phone: '+4989123456', email: 'other@example.com' };

  it.each([
    ['PATCH', (uuid: string, body: object) => reseller.patch(`/octo/bookings/${uuid}`, body)],
    ['a confirmation', (uuid: string, body: object) => reseller.post(`/octo/bookings/${uuid}/confirm`, body)],
  ])('%s that names a name keeps the phone and email that REST has set', async (_call, send) => {
    const body = reservation(somebody());
    expectOcto(await reseller.post('/octo/bookings', body), 'booking');
    const { uuid } = body;
    const holdId = await holdIdOf(api, uuid);
    expect((await reseller.patch(`/api/gateway/holds/${holdId}`, { customer: other })).status).toBe(200);
    const { contact } = expectOcto(await send(uuid, { contact: { fullName: 'Ana Lima' } }), 'booking');
    expect(contact).toMatchObject({
      fullName: 'Ana Lima',
      phoneNumber: other.phone,
      emailAddress: other.email,
      postalCode: body.contact.postalCode,
    });
  });

  it.each([
    ['a PATCH', (uuid: string, body: object) => reseller.patch(`/octo/bookings/${uuid}`, body)],
    ['a confirmation', (uuid: string, body: object) => reseller.post(`/octo/bookings/${uuid}/confirm`, body)],
  ])('%s stores the text of the phone number that it names, and keeps it otherwise', async (_call, send) => {
    const sent = '+49 30 901820 (Xaver 2)';
    const stored = { fullName: 'Ana Lima', phoneNumber: sent };
    const booked = async (first: object, then: object) => {
      const body = { ...reservation(somebody()), contact: first };
      expectOcto(await reseller.post('/octo/bookings', body), 'booking');
      const { contact } = expectOcto(await send(body.uuid, { contact: then }), 'booking');
      const hold = await api
        .db('seat_holds')
        .where({ id: await holdIdOf(api, body.uuid) })
        .first();
      const lead = await api
        .db('booking_leads')
        .where({ hold_id: await holdIdOf(api, body.uuid) })
        .first();
      const { customerPhone, customerPhoneAsSent } = lead ?? hold;
      return { contact, customerPhone, customerPhoneAsSent };
    };
    const expected = {
      contact: expect.objectContaining(stored),
      customerPhone: '+4930901820',
      customerPhoneAsSent: sent,
    };
    expect(await booked({ phoneNumber: '+43 1 5332626' }, stored)).toEqual(expected);
    expect(await booked({ phoneNumber: sent }, { fullName: 'Ana Lima' })).toEqual(expected);
    expect(await booked({ phoneNumber: sent }, { ...stored, phoneNumber: '030 901820' })).toEqual({
      ...expected,
      contact: expect.objectContaining({ phoneNumber: '030 901820' }),
      customerPhoneAsSent: null,
    });
  });

  it('a PATCH of the name keeps the phone number that was read by the earlier country of the tenant', async () => {
    const country = (code: string) =>
      api.db('tenants').where({ id: reseller.tenant.id }).update({ country: code });
    const body = { ...reservation(somebody()), contact: { phoneNumber: '030 901820' } };
    await country('DE');
    expectOcto(await reseller.post('/octo/bookings', body), 'booking');
    await country('AT');
    const contact = { fullName: 'Ana Lima' };
    expectOcto(await reseller.patch(`/octo/bookings/${body.uuid}`, { contact }), 'booking');
    await country(reseller.tenant.country);
    const hold = await api
      .db('seat_holds')
      .where({ id: await holdIdOf(api, body.uuid) })
      .first();
    expect(hold).toMatchObject({ customerName: 'Ana Lima', customerPhone: '+4930901820' });
  });
});
