import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInstanceId, exchangeVersions } from '../../services/platform/read-cache/instance.repository';
import { insertLead, departureOf } from '../catalog/catalog-rows';
import { type GivenTour, givenDeparture, givenTenant, givenTour, unique } from '../support/given';
import { untilTransactionWaits } from '../support/lock-wait';
import { describeOnTerminal } from '../support/pseudo-terminal';
import { TOURCTL, useTestTerminal } from './terminal';

const terminal = useTestTerminal();
let acme: { id: string; slug: string };
/** Each test has its own day. */
let date: string;
let days = 0;

beforeEach(async () => {
  acme = await givenTenant(terminal.db);
  date = new Date(Date.UTC(2032, 0, (days += 1))).toISOString().slice(0, 10);
});

interface Place {
  tour: GivenTour;
  time?: string;
}

async function departs(tour: GivenTour, time?: string): Promise<Place> {
  await givenDeparture(terminal.db, tour, { date, startTime: time });
  return { tour, time };
}

async function rowOf({ tour, time = undefined }: Place) {
  const rows = await terminal
    .db('departures')
    .where({ tour_id: tour.id, departure_date: date })
    .select('id', 'status', 'start_time');
  return rows.find(({ startTime }) => startTime === (time ?? null));
}

async function book(place: Place, fields: { adults?: number } & Record<string, unknown> = {}) {
  const row = { ...(await departureOf(terminal.db, place.tour.slug, date)), id: (await rowOf(place)).id };
  const ref = unique('D')
    .toUpperCase()
    .replace(/-.*/, `-${Math.trunc(Math.random() * 1e12)}`);
  await insertLead(terminal.db, acme.id, row, ref, fields);
  return ref;
}

const statusOf = async (place: Place) => (await rowOf(place)).status;
const bookingStatus = async (ref: string) =>
  (await terminal.db('booking_leads').where({ booking_ref: ref }).first('status')).status;
const cancelDay = (more = '') => terminal.tourctl(`departure cancel --date ${date} --yes --json ${more}`);
const auditsOf = ({ slug }: GivenTour) =>
  terminal
    .db('audit_log')
    .whereRaw('starts_with(subject, ?)', [`${slug} `])
    .pluck<string[]>('action');

/** Adds an endpoint, because these events are written for endpoints that subscribe to them. */
const subscribe = () =>
  terminal.json(
    `webhook add ${acme.slug} https://acme.example/hook --event booking.cancelled,departure.cancelled`,
  );

/** Locks a departure until the returned function is called. */
async function lock(place: Place): Promise<() => Promise<unknown>> {
  const trx = await terminal.db.transaction();
  await trx.raw('select from departures where id = ? for update', [(await rowOf(place)).id]);
  return () => trx.rollback();
}

describe('tourctl departure cancel --date', () => {
  it('tourctl departure cancel --date cancels the departures of all tours on that local date, each with its audit row, in id order', async () => {
    const [alps, tram] = [await givenTour(terminal.db), await givenTour(terminal.db)];
    const places = [await departs(alps), await departs(tram, '09:30'), await departs(tram, '14:30')];
    await subscribe();
    const kept = await givenDeparture(terminal.db, alps, { date: `2033${date.slice(4)}` });
    const ref = await book(places[1]!, { adults: 3 });
    await book(places[1]!, { status: 'confirmed' });
    await book(places[1]!, { status: 'cancelled' });
    const { code, json, stderr } = await cancelDay();
    expect([code, stderr]).toEqual([0, '']);
    const expected = [
      { tour: alps.slug, departure_time: null, seats: 0, bookings: 0 },
      { tour: tram.slug, departure_time: '09:30', seats: 5, bookings: 2 },
      { tour: tram.slug, departure_time: '14:30', seats: 0, bookings: 0 },
    ];
    const ids = await Promise.all(places.map(async (place) => (await rowOf(place)).id as string));
    const inIdOrder = [...ids].sort().map((id) => expected[ids.indexOf(id)]);
    expect(json).toEqual({ departures: inIdOrder, left: [] });
    expect(await Promise.all(places.map(statusOf))).toEqual(Array(3).fill('cancelled'));
    expect((await departureOf(terminal.db, alps.slug, kept)).status).toBe('scheduled');
    expect(await bookingStatus(ref)).toBe('pending_payment');
    expect([await auditsOf(alps), await auditsOf(tram)]).toEqual([
      ['departure.cancel'],
      ['departure.cancel', 'departure.cancel'],
    ]);
    const events = await terminal.db('webhook_events').where({ tenant_id: acme.id }).pluck('type');
    expect(events).toEqual(['departure.cancelled']);
  });

  it('tourctl departure cancel --date includes departures that are closed for booking, and leaves out those that have left', async () => {
    const zone = { timeZone: 'Etc/GMT-14' };
    const [closed, past] = [await givenTour(terminal.db, zone), await givenTour(terminal.db, zone)];
    const { rows } = await terminal.db.raw(
      `select (now() at time zone 'Etc/GMT-14')::date::text as today, (now() at time zone 'Etc/GMT-14')::time::text as time`,
    );
    date = rows[0].today;
    const soon = await departs(closed);
    await terminal
      .db('departures')
      .where({ id: (await rowOf(soon)).id })
      .update({ closes_at: terminal.db.raw("now() - interval '1 hour'") });
    const left = await departs(past, '00:00');
    const { json } = await cancelDay(`--tour ${closed.slug},${past.slug}`);
    expect(json.departures).toEqual([{ tour: closed.slug, departure_time: null, seats: 0, bookings: 0 }]);
    expect([await statusOf(soon), await statusOf(left)]).toEqual(['cancelled', 'scheduled']);
  });

  it('tourctl departure cancel --date is narrowed by --continent and by repeated or listed --tour', async () => {
    const [north, south] = [unique('north'), unique('south')];
    const tours = await Promise.all(
      [north, north, north, south].map((continent) => givenTour(terminal.db, { continent })),
    );
    for (const tour of tours) await departs(tour);
    const slugsOf = async (more: string) =>
      (await cancelDay(more)).json.departures.map(({ tour }: { tour: string }) => tour).sort();
    const [first, second, third, fourth] = tours.map(({ slug }) => slug);
    expect(await slugsOf(`--continent ${north} --tour ${first} --tour ${fourth}`)).toEqual([first]);
    expect(await slugsOf(`--tour ${[second, tours[3]!.id].join(',')}`)).toEqual([second, fourth].sort());
    expect(await slugsOf(`--continent ${north.toUpperCase()}`)).toEqual([third]);
    expect((await cancelDay()).json).toEqual({ departures: [], left: [] });
  });

  it('tourctl departure cancel --date --cancel-bookings cancels the bookings too, also those of departures that are cancelled already', async () => {
    const [alps, tram] = [await givenTour(terminal.db), await givenTour(terminal.db)];
    const places = [await departs(alps), await departs(tram)];
    const refs = [await book(places[0]!), await book(places[1]!), await book(places[1]!)];
    expect((await cancelDay(`--tour ${tram.slug}`)).code).toBe(0);
    expect((await cancelDay('--cancel-bookings --reason Storm')).json.left).toEqual([]);
    expect(await Promise.all(refs.map(bookingStatus))).toEqual(Array(3).fill('cancelled'));
    const reasons = await terminal.db('booking_leads').whereIn('booking_ref', refs).pluck('cancel_reason');
    expect(reasons).toEqual(Array(3).fill('Storm'));
    expect((await cancelDay('--cancel-bookings')).json).toEqual({ departures: [], left: [] });
  });

  it('tourctl departure cancel --date leaves a departure that another session has locked, exits with 1, and continues when it is repeated', async () => {
    const tour = await givenTour(terminal.db);
    const places = [await departs(tour, '09:00'), await departs(tour, '10:00'), await departs(tour, '11:00')];
    const ref = await book(places[1]!);
    const release = await lock(places[1]!);
    const { code, json } = await cancelDay('--cancel-bookings');
    expect(code).toBe(1);
    expect(json.departures).toHaveLength(2);
    expect(json.left).toEqual([{ tour: tour.slug, departure_time: '10:00', why: 'departure_busy' }]);
    await release();
    expect([await statusOf(places[1]!), await bookingStatus(ref)]).toEqual(['scheduled', 'pending_payment']);
    const again = await cancelDay('--cancel-bookings');
    expect([again.code, again.json.departures]).toEqual([
      0,
      [{ tour: tour.slug, departure_time: '10:00', seats: 2, bookings: 1 }],
    ]);
  });

  it('tourctl departure cancel --date leaves a departure one of whose bookings another session has locked', async () => {
    const place = await departs(await givenTour(terminal.db));
    const ref = await book(place);
    const trx = await terminal.db.transaction();
    await trx('booking_leads').select('id').where({ booking_ref: ref }).forUpdate();
    const { code, json } = await cancelDay('--cancel-bookings');
    await trx.rollback();
    expect([code, json.left]).toEqual([1, [{ ...json.left[0], why: 'database_busy' }]]);
    expect(await statusOf(place)).toBe('scheduled');
  });

  it('two operators who cancel the same day at once cancel each departure and booking once', async () => {
    const tour = await givenTour(terminal.db);
    const times = ['08:00', '09:00', '10:00', '11:00', '12:00'];
    const refs: string[] = [];
    await subscribe();
    for (const time of times) refs.push(await book(await departs(tour, time)));
    const both = await Promise.all([cancelDay('--cancel-bookings'), cancelDay('--cancel-bookings')]);
    expect(both.map(({ code, json }) => [code, json.left])).toEqual([
      [0, []],
      [0, []],
    ]);
    expect(await Promise.all(refs.map(bookingStatus))).toEqual(Array(5).fill('cancelled'));
    expect(await auditsOf(tour)).toEqual(Array(5).fill('departure.cancel'));
    const events = await terminal.db('webhook_events').where({ tenant_id: acme.id }).pluck('type');
    expect(events.sort()).toEqual([
      ...Array<string>(5).fill('booking.cancelled'),
      ...Array<string>(5).fill('departure.cancelled'),
    ]);
  });

  it('a run that is killed has cancelled whole departures with their bookings, and the next run cancels the others', async () => {
    const tour = await givenTour(terminal.db);
    const places: Place[] = [];
    const refs: string[] = [];
    for (const time of ['08:00', '09:00', '10:00', '11:00']) {
      places.push(await departs(tour, time));
      refs.push(await book(places.at(-1)!));
    }
    const ids = await Promise.all(places.map(async (place) => (await rowOf(place)).id as string));
    const third = places[ids.indexOf([...ids].sort()[2]!)]!;
    const release = await lock(third);
    const line = `departure cancel --date ${date} --cancel-bookings --yes --json`.split(' ');
    const child = spawn(process.execPath, [TOURCTL, ...line], { env: { ...process.env, ...terminal.env } });
    await untilTransactionWaits(terminal.db);
    child.kill('SIGKILL');
    await once(child, 'close');
    await release();
    const states = await Promise.all(
      places.map(async (place, i) => `${await statusOf(place)} ${await bookingStatus(refs[i]!)}`),
    );
    expect(states.sort()).toEqual([
      ...Array<string>(2).fill('cancelled cancelled'),
      ...Array<string>(2).fill('scheduled pending_payment'),
    ]);
    const { code, json } = await cancelDay('--cancel-bookings');
    expect([code, json.departures.length]).toEqual([0, 2]);
    expect(await Promise.all(refs.map(bookingStatus))).toEqual(Array(4).fill('cancelled'));
  });

  it('tourctl departure cancel --date waits once for the instances of the API, after the last departure', async () => {
    const { db } = terminal;
    const tour = await givenTour(db);
    for (const time of ['08:00', '09:00', '10:00']) await departs(tour, time);
    // A wait for this instance, which does not poll, ends when its read cache is no longer valid, and deletes its row.
    await exchangeVersions(db, { instance: createInstanceId(), seen: 0, number: 1 });
    await db.raw(`
      create table instances_at_audit (instances integer);
      create function note_instances() returns trigger language plpgsql as $$
        begin insert into instances_at_audit select count(*) from api_instances; return null; end $$;
      create trigger spy after insert on audit_log for each row execute function note_instances()`);
    expect((await cancelDay()).json.departures).toHaveLength(3);
    expect(await db('instances_at_audit').pluck('instances')).toEqual([1, 1, 1]);
    expect(await db('api_instances')).toEqual([]);
    await db.raw('drop trigger spy on audit_log');
  });

  it.each([
    ['--yes', 2, '<tour> is missing'],
    ['DATE TOUR 2032-01-01 --yes', 2, '--date stands in place of <tour> <date>'],
    ['DATE TOUR --yes', 2, '--date stands in place of <tour> <date>'],
    ['TOUR 2032-01-01 --tour TOUR --yes', 2, '--tour needs --date'],
    ['TOUR 2032-01-01 --continent asia --yes', 2, '--continent needs --date'],
    ['DATE --reason Storm --yes', 2, '--reason needs --cancel-bookings'],
    ['DATE --reveal --yes', 2, '--reveal shows the customers of one departure'],
    ['DATE', 2, 'add --yes'],
    ['--date 2032-02-31 --yes', 2, '--date must be a calendar date'],
    ['--date 2032-02-01T09:30 --yes', 2, '--date must be a calendar date'],
    ['DATE --tour zermatt-and-bac --yes', 1, 'Did you mean zermatt-and-back?'],
    ['DATE --continent zealandi --yes', 1, 'Did you mean zealandia?'],
  ])('tourctl departure cancel %s exits with %i and says %s', async (line, code, message) => {
    const named = { slug: 'zermatt-and-back', continent: 'zealandia' };
    const known = await terminal.db('tours').where({ slug: named.slug }).first('id', 'slug');
    const tour = known ?? (await givenTour(terminal.db, named));
    const completed = line.replace('DATE', `--date ${date}`).replaceAll('TOUR', tour.slug);
    const answer = await terminal.tourctl(`departure cancel ${completed}`);
    expect([answer.code, answer.stderr]).toEqual([code, expect.stringContaining(message)]);
  });
});

describeOnTerminal('tourctl departure cancel --date on a terminal', () => {
  it('tourctl departure cancel --date shows the departures with seats and bookings, and changes nothing without a yes', async () => {
    const place = await departs(await givenTour(terminal.db, { slug: unique('boat') }), '09:30');
    await book(place, { adults: 4 });
    const shell = terminal.sit(`departure cancel --date ${date} --cancel-bookings`);
    await shell.see('SEATS');
    await shell.see(place.tour.slug);
    await shell.answer(`Take 1 departure of ${date} off sale, and cancel 1 booking?`, 'n', '\r');
    expect(await shell.ended).toBe(1);
    expect(await statusOf(place)).toBe('scheduled');
  });

  it('Ctrl-C ends the cancellation of a day between two departures, and says how many were cancelled', async () => {
    const tour = await givenTour(terminal.db);
    const places = [await departs(tour, '09:00'), await departs(tour, '10:00'), await departs(tour, '11:00')];
    const ids = await Promise.all(places.map(async (place) => (await rowOf(place)).id as string));
    const second = places[ids.indexOf([...ids].sort()[1]!)]!;
    const release = await lock(second);
    const shell = terminal.sit(`departure cancel --date ${date} --yes`);
    await untilTransactionWaits(terminal.db);
    await shell.answer('', '\x03');
    await release();
    expect(await shell.ended).toBe(130);
    expect(shell.shown).toMatch(
      /Interrupted: [12] of 3 changes were made\. The same command makes the others/,
    );
  });
});
