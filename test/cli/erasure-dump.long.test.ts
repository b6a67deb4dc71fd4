import { randomBytes, randomInt } from 'node:crypto';
import { useTestApi } from '../support/api';
import { givenSeats, type PlacedSeats, useWebsite } from '../support/website';
import { add, startFastWorker, whenAll } from '../webhook-queue/queue-fixture';
import { type Receiver, startReceiver } from '../webhook-queue/receiver';
import { useTerminalOf } from './terminal';

const api = useTestApi();
const terminal = useTerminalOf(api);
const site = useWebsite(api);
let receiver: Receiver;
let seats: PlacedSeats;
beforeAll(async () => {
  receiver = await startReceiver();
  seats = await givenSeats(api.db, { seats: 100 });
});
afterAll(() => receiver.close());

/** A person whose name has an accent and whose data occur nowhere else. */
function somebody() {
  const mark = randomBytes(5).toString('hex');
  const digits = String(randomInt(1e7, 9e7));
  const name = `Zoë Quill${mark}`;
  return {
    mark,
    digits,
    name,
    phone: `+4930${digits} (${name.slice(0, 12)})`,
    email: `zoe.${mark}@example.com`,
  };
}
type Marked = ReturnType<typeof somebody>;

/** Returns the rows of all tables that have the person in any case and Unicode form, and the digits of the phone. */
async function tracesOf({ mark, digits }: Marked): Promise<string[]> {
  const { rows } = await api.db.raw<{ rows: { name: string }[] }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind = 'r'`,
  );
  const found: string[] = [];
  const forms = [
    mark,
    digits,
    Buffer.from(mark).toString('hex'),
    Buffer.from(mark).toString('base64').slice(0, 12),
  ];
  for (const { name } of rows) {
    const matching = await api.db.raw<{ rows: { row: string }[] }>(
      `select row from (select lower(row_to_json(t)::text) as row from ${name} t) r
       where regexp_replace(row, '[^[:alnum:]]', '', 'g') ~ :digits or row ~ :forms`,
      { digits, forms: forms.map((form) => form.toLowerCase()).join('|') },
    );
    found.push(...matching.rows.map(({ row }) => `${name}: ${row}`));
  }
  return found;
}

const key = (person: Marked, n: number) => ({ 'Idempotency-Key': `${person.email}-${n}` });
const reference = ({ name }: Marked) => `${name.toLowerCase().replace(' ', '-')}-order`;
const customer = ({ name, phone, email }: Marked) => ({ name, phone, email });
const contactOf = ({ name, phone, email }: Marked) => ({
  fullName: name,
  firstName: name.split(' ')[0],
  lastName: name.split(' ')[1],
  emailAddress: email,
  phoneNumber: phone,
  postalCode: name.slice(4, 20),
  notes: name,
});

/** Subscribes a receiver that repeats the request in its answer and its headers. */
async function subscribe({ email }: Marked): Promise<void> {
  await add(api.db, site.tenant.id, receiver.url, [
    'booking.created',
    'booking.confirmed',
    'booking.updated',
    'booking.cancelled',
    'hold.expired',
  ]);
  receiver.react((response, n, request) => {
    response.statusCode = n === 1 ? 500 : 200;
    response.setHeader('X-Echo', email);
    response.end(request.body);
  });
}

async function delivered(): Promise<void> {
  const worker = startFastWorker(api.db);
  const ids = await api.db('webhook_deliveries').where({ tenant_id: site.tenant.id }).pluck('id');
  await whenAll(api.db, site.tenant.id, 'delivered', ids.length);
  await worker.stop();
}

describe('The whole database after an erasure', () => {
  it('no table has a person who was in every field of a booking and its hold by REST', async () => {
    const person = somebody();
    await subscribe(person);
    const held = await site.hold(
      seats.tour,
      {
        departure_date: seats.date,
        quantity: 1,
        external_ref: reference(person),
        customer: customer(person),
      },
      key(person, 1),
    );
    const hold = `/api/gateway/holds/${held.body.hold_id}`;
    await site.patch(hold, { customer: { email: person.email.toUpperCase() } }, key(person, 2));
    await site.post(`${hold}/extend`, { hold_minutes: 20 }, key(person, 3));
    const order = {
      ...customer(person),
      tour_id: seats.tour.slug,
      hold_id: held.body.hold_id,
      external_ref: reference(person),
      notes: person.name.normalize('NFD'),
      travellers: [
        { category: 'adult', first_name: 'Zoë', last_name: person.name.slice(4), note: person.phone },
      ],
    };
    const { body } = await site.book(order, key(person, 4));
    const booking = `/api/tenant/bookings/${body.booking_ref}`;
    await site.book(order);
    await site.post(`${booking}/confirm`, {}, key(person, 5));
    await site.patch(booking, { notes: `${person.name}, ${person.email}` }, key(person, 6));
    await site.patch(booking, { external_ref: person.email }, key(person, 7));
    await terminal.tourctl(['booking', 'change', body.booking_ref, '--notes', person.name, '--yes']);
    await terminal.tourctl(['booking', 'list', '--search', person.email, '--reveal', '--json']);
    await terminal.tourctl(['booking', 'show', body.booking_ref, '--reveal', '--json']);
    await site.post(`${booking}/cancel`, { reason: `${person.name} is ill` }, key(person, 8));
    await api.context.refusals.write(api.context.db);
    await delivered();
    expect(await tracesOf(person)).not.toEqual([]);
    await terminal.json(`booking anonymize ${body.booking_ref} --yes`);
    expect(await tracesOf(person)).toEqual([]);
  });

  it('no table has a person who was in every field of a confirmed booking by OCTO', async () => {
    const person = somebody();
    const contact = contactOf(person);
    const unitItems = [{ unitId: 'adult', contact, resellerReference: person.email }];
    const { body } = await site.post(
      '/octo/bookings',
      {
        productId: seats.tour.id,
        optionId: 'DEFAULT',
        availabilityId: seats.departureId,
        unitItems,
        contact,
        notes: person.name,
        resellerReference: reference(person),
      },
      key(person, 1),
    );
    const path = `/octo/bookings/${body.uuid}`;
    await site.patch(path, { notes: person.phone, contact }, key(person, 2));
    const confirmed = await site.post(`${path}/confirm`, { contact, unitItems }, key(person, 3));
    await site.patch(path, { contact: { notes: person.email } }, key(person, 4));
    await site.post(`${path}/cancel`, { reason: person.name }, key(person, 5));
    await delivered();
    expect(await tracesOf(person)).not.toEqual([]);
    await terminal.json(`booking anonymize ${confirmed.body.supplierReference} --yes`);
    expect(await tracesOf(person)).toEqual([]);
  });

  it('no table has a person who was in every field of ended holds by REST and OCTO', async () => {
    const person = somebody();
    const held = await site.hold(
      seats.tour,
      { departure_date: seats.date, quantity: 1, external_ref: person.email, customer: customer(person) },
      key(person, 1),
    );
    await site.delete(`/api/gateway/holds/${held.body.hold_id}`);
    await terminal.json(`hold release ${held.body.hold_id} --yes`);
    await site.book({
      tour_id: seats.tour.slug,
      hold_id: held.body.hold_id,
      external_ref: reference(person),
    });
    const contact = contactOf(person);
    const { body } = await site.post(
      '/octo/bookings',
      {
        productId: seats.tour.id,
        optionId: 'DEFAULT',
        availabilityId: seats.departureId,
        unitItems: [{ unitId: 'adult', contact, resellerReference: person.email }],
        contact,
        notes: person.name,
        resellerReference: reference(person),
      },
      key(person, 2),
    );
    await site.post(`/octo/bookings/${body.uuid}/cancel`, { reason: person.name }, key(person, 3));
    await api.context.refusals.write(api.context.db);
    expect(await tracesOf(person)).not.toEqual([]);
    const { others } = await terminal.json(`hold anonymize ${held.body.hold_id} --yes`);
    expect(others.holds).toHaveLength(1);
    await terminal.json(`hold anonymize ${others.holds[0]} --yes`);
    expect(await tracesOf(person)).toEqual([]);
  });
});
