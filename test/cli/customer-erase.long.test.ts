import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { Db } from '../../services/platform/database/database';
import { useTestApi } from '../support/api';
import { describeOnTerminal } from '../support/pseudo-terminal';
import { givenSeats, givenWebsite, type Seats, type Website } from '../support/website';
import { add, claimNow } from '../webhook-queue/queue-fixture';
import { useTerminalOf } from './terminal';

interface Person {
  name: string;
  phone: string;
  email: string;
}

const api = useTestApi();
const terminal = useTerminalOf(api);
let db: Db;
let site: Website;
let seats: Seats;
beforeAll(() => void ({ db } = api));
beforeEach(async () => {
  site = await givenWebsite(api, { country: 'DE' });
  seats = await givenSeats(db);
});

/** Returns a person whom no other test uses. */
function somebody(): Person {
  const mark = randomBytes(4).toString('hex');
  return { name: `Xaver Quill${mark}`, phone: `+4930${randomInt(1e7, 1e8)}`, email: `x.${mark}@example.com` };
}

async function book(person: Partial<Person>, at = site): Promise<string> {
  const order = { ...person, tour_id: seats.tour.id, departure_date: seats.date };
  return (await at.book(order, { 'Idempotency-Key': randomUUID() })).body.booking_ref;
}

async function hold(customer: Partial<Person>, at = site): Promise<string> {
  const request = { departure_date: seats.date, quantity: 1, customer };
  return (await at.hold(seats.tour, request, { 'Idempotency-Key': randomUUID() })).body.hold_id;
}

const erase = (...words: string[]) => terminal.tourctl(['customer', 'erase', ...words, '--yes', '--json']);

async function isErased(ref: string): Promise<boolean> {
  const [table, key] = ref.includes('-', 9) ? ['seat_holds', 'id'] : ['booking_leads', 'booking_ref'];
  const row = await db(table)
    .where({ [key]: ref })
    .first('anonymized_at', 'customer_name');
  expect(row.anonymizedAt === null).toBe(row.customerName !== null);
  return row.anonymizedAt !== null;
}

const areErased = (refs: string[]) => Promise.all(refs.map(isErased));

/** Returns the tables with rows that have one of the texts. */
async function tracesOf(...texts: string[]): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind = 'r'`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const { rowCount } = await db.raw(`select from ${name} t where row_to_json(t)::text ~* ? limit 1`, [
      texts.join('|'),
    ]);
    if (rowCount > 0) found.push(name);
  }
  return found;
}

describe('tourctl customer erase', () => {
  it('tourctl customer erase --phone erases a person with three spellings of the phone in three tenants from every table', async () => {
    const person = somebody();
    const national = `0${person.phone.slice(3, 5)}/${person.phone.slice(5)}`;
    const other = await givenWebsite(api, { country: 'FR' });
    const sandbox = await givenWebsite(api, { country: 'PT', sandbox: true });
    const refs = [
      await book(person),
      await book({ ...person, phone: national, email: `second.${person.email}` }),
      await book({ ...person, phone: person.phone.replace('+', '00') }, other),
      await hold({ ...person, phone: `${person.phone.slice(0, 3)} (0)${person.phone.slice(3)}` }, sandbox),
    ];
    const stranger = await book(somebody());
    const { code, json } = await erase('--phone', person.phone.replace('+49', '+49 (0)'));
    expect([code, json]).toEqual([0, { bookings: 3, holds: 1, undelivered: 0 }]);
    expect([await areErased(refs), await isErased(stranger)]).toEqual([Array(4).fill(true), false]);
    expect(await tracesOf(person.name.slice(6), person.phone.slice(5))).toEqual([]);
    const audits = await db('audit_log').whereIn('subject', refs).select('action', 'subject');
    expect(audits.map(({ action, subject }) => `${action} ${subject}`).sort()).toEqual(
      refs.map((ref, i) => `${i < 3 ? 'booking' : 'hold'}.anonymize ${ref}`).sort(),
    );
    expect((await erase('--phone', person.phone)).json).toEqual({ bookings: 0, holds: 0, undelivered: 0 });
  });

  it('tourctl customer erase --email erases the rows with this address in any case, and no other row of the same phone', async () => {
    const [ana, bo] = [somebody(), somebody()];
    const refs = [await book(ana), await book({ ...ana, email: ana.email.toUpperCase() })];
    const family = await book({ ...bo, phone: ana.phone });
    expect((await erase('--email', ana.email)).json).toEqual({ bookings: 2, holds: 0, undelivered: 0 });
    expect([await areErased(refs), await isErased(family)]).toEqual([[true, true], false]);
  });

  it('tourctl customer erase --search erases all rows of the one person that it finds, also those that the text does not find', async () => {
    const person = somebody();
    const refs = [await book(person), await hold(person), await book({ ...person, phone: somebody().phone })];
    const turned = person.name.split(' ').reverse().join(', ');
    refs.push(await book({ ...person, name: turned }));
    expect((await erase('--search', refs[0]!)).json).toEqual({ bookings: 3, holds: 1, undelivered: 0 });
    expect(await areErased(refs)).toEqual(Array(4).fill(true));
  });

  it('tourctl customer erase --search refuses several people, and counts the rows of each without their personal data', async () => {
    const [one, other] = [somebody(), somebody()];
    const name = one.name;
    const refs = [await book(one), await hold(one), await book({ ...other, name })];
    const { code, error } = await erase('--search', name.toLowerCase());
    expect([code, error.code]).toEqual([1, 'several_people']);
    expect(error.message).toMatch(/^These are 2 people: name one by --email, or by --phone with its country/);
    expect(error.message.split('\n').slice(1).sort()).toEqual([
      expect.stringMatching(/^1 row: X… Q…, \+49…\d\d, x…@e….com \(booking .*\)$/),
      expect.stringMatching(/^2 rows: X… Q…, \+49…\d\d, x…@e….com \(booking .*\)$/),
    ]);
    expect(error.message).not.toMatch(new RegExp(`${name.slice(6)}|${one.email}`, 'i'));
    expect(await areErased(refs)).toEqual([false, false, false]);
  });

  it('tourctl customer erase --search refuses a person whose phone or e-mail other names share', async () => {
    const [ana, bo] = [somebody(), somebody()];
    const refs = [
      await book(ana),
      await book({ ...bo, email: ana.email }),
      await hold({ ...bo, email: ana.email }),
    ];
    const { code, error } = await erase('--search', ana.name);
    expect([code, error.code, error.message.match(/\d rows?(?=:)/g)]).toEqual([
      1,
      'several_people',
      ['1 row', '2 rows'],
    ]);
    expect(await areErased(refs)).toEqual([false, false, false]);
  });

  it('tourctl customer erase --phone without a country code refuses people of several countries, and takes the code', async () => {
    const german = somebody();
    const french = { ...somebody(), phone: german.phone.replace('+4930', '+3330') };
    const digits = `0${german.phone.slice(3)}`;
    const refs = [await book(german), await book(french)];
    // 8 digits are no number of France, so the number of French customers has one more.
    await db('booking_leads').where({ booking_ref: refs[1] }).update({ customer_phone: french.phone });
    expect((await erase('--phone', digits)).error.code).toBe('several_people');
    expect((await erase('--phone', `00${german.phone.slice(1)}`)).json.bookings).toBe(1);
    expect(await areErased(refs)).toEqual([true, false]);
    expect((await erase('--phone', digits)).json.bookings).toBe(1);
  });

  it('tourctl customer erase finds a person who is the contact of a unit of an OCTO booking only', async () => {
    const [customer, guest] = [somebody(), somebody()];
    const id = await hold(customer);
    await db('octo_bookings').insert({
      tenant_id: site.tenant.id,
      uuid: randomUUID(),
      hold_id: id,
      request_digest: Buffer.alloc(32),
      contact: {},
      updated_at: new Date(),
      unit_items: JSON.stringify([
        {
          uuid: randomUUID(),
          unitId: 'adult',
          resellerReference: null,
          contact: {
            fullName: guest.name,
            emailAddress: guest.email,
            phoneNumber: guest.phone.replace('+49', '0'),
          },
        },
      ]),
    });
    expect((await erase('--email', guest.email.toUpperCase())).json).toMatchObject({ holds: 1 });
    expect(await tracesOf(guest.name.slice(6))).toEqual([]);
  });

  it('tourctl customer erase refuses undelivered webhooks, names --force, and erases nothing until it is given', async () => {
    const person = somebody();
    await add(db, site.tenant.id, 'https://acme.example/hook');
    const refs = [await hold(person), await book(person), await book(person)];
    const { code, error } = await erase('--email', person.email);
    expect([code, error.code]).toEqual([1, 'undelivered']);
    expect(error.message).toMatch(/^2 webhooks with this person are not delivered yet: .*--force/);
    expect(await areErased(refs)).toEqual([false, false, false]);
    expect((await erase('--email', person.email, '--force')).json).toEqual({
      bookings: 2,
      holds: 1,
      undelivered: 2,
    });
    expect(await areErased(refs)).toEqual([true, true, true]);
  });

  it('tourctl customer erase leaves a booking whose webhook is being sent, erases the others, and continues when it is repeated', async () => {
    const person = somebody();
    await add(db, site.tenant.id, 'https://acme.example/hook');
    const sending = await book(person);
    await claimNow(db);
    const other = await hold(person);
    const { code, error } = await erase('--email', person.email, '--force');
    expect([code, error.code]).toEqual([1, 'booking_in_flight']);
    expect(error.message).toContain(`${sending}: A webhook with this customer is being sent now`);
    expect(await areErased([sending, other])).toEqual([false, true]);
    await db('webhook_queue').update({ lease_until: db.raw("now() - interval '1 second'") });
    expect((await erase('--email', person.email, '--force')).json).toMatchObject({ bookings: 1, holds: 0 });
  });

  it('tourctl customer erase leaves a row of a locked departure with departure_busy, and erases the others', async () => {
    const person = somebody();
    const locked = await book(person);
    const place = seats;
    seats = await givenSeats(db);
    const other = await book(person);
    const trx = await db.transaction();
    await trx('departures').select('id').where({ tour_id: place.tour.id }).forUpdate();
    const { code, error } = await erase('--email', person.email);
    await trx.rollback();
    expect([code, error.code]).toEqual([1, 'departure_busy']);
    expect(error.message).toContain('1 of 2 rows erased');
    expect(await areErased([locked, other])).toEqual([false, true]);
  });

  it('two operators who erase the same person at once both succeed, and each row has one audit row', async () => {
    const person = somebody();
    const refs = [await book(person), await book(person), await hold(person)];
    const both = await Promise.all([erase('--email', person.email), erase('--email', person.email)]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    const sum = (field: string) => both.reduce((total, { json }) => total + json[field], 0);
    expect([sum('bookings'), sum('holds')]).toEqual([2, 1]);
    const audits = await db('audit_log').whereIn('subject', refs).whereLike('action', '%.anonymize');
    expect(audits).toHaveLength(3);
  });

  it.each([
    [[], 'give one of --search, --email and --phone'],
    [['--email', 'a@b.example', '--phone', '030901820'], 'give one of --search, --email and --phone'],
    [['--email', 'a'], '--email must be an e-mail address'],
    [['--phone', '030 Ana'], '--phone must be a phone number'],
    [['--search', '!'], '--search must have a letter or a digit'],
  ])('tourctl customer erase %j is a usage error', async (words, message) => {
    const { code, error } = await erase(...words);
    expect([code, error.message]).toEqual([2, expect.stringContaining(message)]);
    expect((await terminal.tourctl('customer erase --email a@b.example')).code).toBe(2);
  });
});

describeOnTerminal('tourctl customer erase on a terminal', () => {
  it('tourctl customer erase lists the rows with a masked customer, and changes nothing without a yes', async () => {
    const person = somebody();
    const refs = [await book(person), await hold(person)];
    const shell = terminal.sit(`customer erase --email ${person.email}`);
    await shell.see('BOOKING OR HOLD');
    await shell.see(refs[0]!);
    await shell.see(refs[1]!);
    await shell.answer('Erase the customer of 1 booking and 1 hold permanently?', 'n', '\r');
    expect(await shell.ended).toBe(1);
    expect(shell.shown).not.toContain(person.name.slice(6));
    expect(await areErased(refs)).toEqual([false, false]);
  });
});
