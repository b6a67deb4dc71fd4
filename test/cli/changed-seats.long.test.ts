import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { commandName, verbName } from '../../cli/engine/command';
import { TREE } from '../../cli/tree';
import { useTestApi } from '../support/api';
import { givenResource } from '../support/given-resources';
import { useTemporaryFolder } from '../support/temporary-folder';
import { CUSTOMER, endPaymentWindow, useWebsite } from '../support/website';
import { book, type Given, givenForWrites, hold } from '../support/writing-requests';
import { useTerminalOf } from './terminal';

/** Every command that changes seats raises the tour's revision and notifies the subscribers of OCTO (cli/engine/change-seats.ts). */
const api = useTestApi();
const site = useWebsite(api, { maxHolds: 1_000, maxUnpaid: 1_000 });
const terminal = useTerminalOf(api);
const folder = useTemporaryFolder();

beforeAll(async () => {
  const wish = { url: 'https://reseller.example/hook', notificationTypes: ['AVAILABILITY_UPDATE'] };
  expect((await site.post('/octo/notifications/subscriptions', wish)).status).toBe(200);
});

async function bookingOf(given: Given): Promise<string> {
  return (await book(given)).body.booking_ref;
}

async function lapsedBookingOf(given: Given): Promise<string> {
  const ref = await bookingOf(given);
  await endPaymentWindow(api.db, ref);
  return ref;
}

/** Returns a sale of the desk. Its --request-id lets a repeat sell nothing. */
function sale(noun: 'booking' | 'hold', { tour, date }: Given): string {
  const guest = `--name Ana --phone ${CUSTOMER.phone.replaceAll(' ', '')}`;
  return `${noun} add ${tour.slug} ${date} --tenant ${site.tenant.slug} --party adult=1 ${guest} --request-id ${randomUUID()}`;
}

/** Writes a file with one booking of another system. @returns the command that imports it */
function importOf({ tour, date }: Given): string {
  const ref = randomUUID();
  const file = path.join(folder, `${ref}.csv`);
  writeFileSync(file, `external_ref,tour,departure_date,adults,name\n${ref},${tour.slug},${date},1,Ana\n`);
  return `booking import ${file} --tenant ${site.tenant.slug}`;
}

/** Creates what the command changes. @returns the command line */
type Prepare = (given: Given) => Promise<string>;

/** The lines of each command that changes seats. */
const SEAT_CHANGES: Record<string, Prepare[]> = {
  'booking add': [
    (given) => Promise.resolve(sale('booking', given)),
    (given) => Promise.resolve(`${sale('booking', given)} --add-seats --reason Busy`),
  ],
  'booking import': [
    (given) => Promise.resolve(importOf(given)),
    async (given) => {
      const { import_id } = await terminal.json(`${importOf(given)} --yes`);
      // An update that still waits stands for the next one of the same dates too.
      await api.db('webhook_queue').delete();
      return `booking import --undo ${import_id}`;
    },
  ],
  'hold add': [(given) => Promise.resolve(sale('hold', given))],
  'booking confirm': [
    async (given) => `booking confirm ${await bookingOf(given)}`,
    async (given) => `booking confirm ${await lapsedBookingOf(given)}`,
  ],
  'booking cancel': [async (given) => `booking cancel ${await bookingOf(given)}`],
  'booking change': [
    async (given) => `booking change ${await bookingOf(given)} --adults 2`,
    async (given) => `booking change ${await bookingOf(given)} --date ${given.other.date}`,
  ],
  'booking expire': [
    async (given) => {
      await lapsedBookingOf(given);
      return 'booking expire';
    },
  ],
  'hold release': [async (given) => `hold release ${(await hold(given)).body.hold_id}`],
  'departure move': [
    async (given) => {
      await bookingOf(given);
      return `departure move ${given.tour.slug} ${given.date} ${given.other.date}`;
    },
    async (given) => {
      await hold(given);
      return `departure move ${given.tour.slug} ${given.date} ${given.other.date}`;
    },
    async (given) => {
      await lapsedBookingOf(given);
      return `departure move ${given.tour.slug} ${given.date} ${given.other.date}`;
    },
  ],
  // An erasure marks the expired holds and bookings of its departure.
  'booking anonymize': [
    async (given) => {
      const ref = await bookingOf(given);
      // Lapses after the sale of the booking, which would mark it.
      await lapsedBookingOf(given);
      return `booking anonymize ${ref}`;
    },
  ],
  'hold anonymize': [
    async (given) => {
      const { hold_id } = (await hold(given)).body;
      await lapsedBookingOf(given);
      return `hold anonymize ${hold_id}`;
    },
  ],
  'customer erase': [
    async (given) => {
      await bookingOf(given);
      await lapsedBookingOf(given);
      return `customer erase --email ${CUSTOMER.email} --force`;
    },
  ],
  'departure cancel': [
    async (given) => {
      await bookingOf(given);
      return `departure cancel ${given.tour.slug} ${given.date} --cancel-bookings`;
    },
    async (given) => {
      await bookingOf(given);
      return `departure cancel --date ${given.date} --tour ${given.tour.slug} --cancel-bookings`;
    },
    async (given) => {
      await bookingOf(given);
      await terminal.json(`departure cancel ${given.tour.slug} ${given.date} --yes`);
      return `departure cancel ${given.tour.slug} ${given.date} --cancel-bookings`;
    },
  ],
  'departure set-uses': [
    async (given) => {
      const resource = await givenResource(api.db, { places: 5 });
      return `departure set-uses ${given.tour.slug} ${given.date} ${resource}`;
    },
  ],
  'resource set': [async (given) => `resource set ${await boatOf(given)} --places 4`],
  'resource close': [async (given) => `resource close ${await boatOf(given)} ${dayOf(given)} --reason Dock`],
  'resource reopen': [
    async (given) => {
      const boat = await boatOf(given);
      await terminal.json(`resource close ${boat} ${dayOf(given)} --reason Dock`);
      await api.db('webhook_queue').delete();
      return `resource reopen ${boat} ${dayOf(given)}`;
    },
  ],
};

const dayOf = ({ date }: Given) => `--from ${date} --to ${date}`;

/** A repeat closes units again. */
const CLOSE = 'resource close';

/** Lets the departure use a boat of 5 places. @returns the code of the boat */
async function boatOf({ departureId }: Given): Promise<string> {
  const resource = await givenResource(api.db, { places: 5 });
  const uses = JSON.stringify([{ resource }]);
  await api.db('departures').where({ id: departureId }).update({ uses });
  return resource;
}

/** The commands that change no seats, or change them with the catalog: OCTO's changes of the catalog tell of these. */
const OTHER_COMMANDS = {
  booking: ['list', 'show', 'stats', 'refusals', 'export'],
  hold: ['list', 'show'],
  departure: [
    'list',
    'manifest',
    'add',
    'schedule',
    'reopen',
    'set-seats',
    'set-time',
    'set-price',
    'set-pickup',
  ],
  resource: ['add', 'list', 'show', 'remove'],
};

/** The nouns, and the verbs without a noun, that have no holds, bookings or departures. */
const OTHER_NOUNS =
  'tenant use key widget origins visibility pricing rates catalog report webhook delivery monitor up status doctor open logs migrate backup restore seed config audit completion pickup people'.split(
    ' ',
  );

/** Returns the state that a command must change: the tour's revision, and the dates that the subscribers were told. */
async function stateOf({ tour }: Given) {
  const [revision] = await api.db('tours').where({ id: tour.id }).pluck('revision');
  const bodies = await api.db('webhook_events').where({ type: 'octo.availability_update' }).pluck('body');
  const told = bodies
    .map((body: string) => JSON.parse(body) as Record<string, string>)
    .filter(({ productId }) => productId === tour.id)
    .map(({ localDateStart, localDateEnd }) => [localDateStart, localDateEnd]);
  return { revision: Number(revision), told };
}

const lines = Object.entries(SEAT_CHANGES).flatMap(([command, prepares]) =>
  prepares.map((prepare, n): [string, number, Prepare] => [command, n + 1, prepare]),
);

describe('a command that changes seats', () => {
  it.each(lines)(
    'tourctl %s, line %d, raises the revision, notifies the subscribers of OCTO, and does neither when it is repeated',
    async (command, _, prepare) => {
      const given = await givenForWrites(api, site);
      const line = `${await prepare(given)} --yes`;
      const before = await stateOf(given);
      const { code, stderr } = await terminal.tourctl(line);
      expect([code, stderr]).toEqual([0, expect.any(String)]);
      const after = await stateOf(given);
      expect(after.revision).toBeGreaterThan(before.revision);
      const last = line.includes(given.other.date) ? given.other.date : given.date;
      expect(after.told.slice(before.told.length)).toEqual([[given.date, last]]);
      if (command === CLOSE) return;
      await terminal.tourctl(line);
      expect([command, await stateOf(given)]).toEqual([command, after]);
    },
  );

  it('each command about bookings, holds and departures is listed', () => {
    const advice: string[] = [];
    for (const one of TREE.flatMap(({ commands }) => commands)) {
      const noun = commandName(one);
      if (OTHER_NOUNS.includes(noun)) continue;
      const others = OTHER_COMMANDS[noun as keyof typeof OTHER_COMMANDS] ?? [];
      const names = 'verbs' in one ? one.verbs.map(verbName) : [''];
      for (const verb of names.filter((name) => !others.includes(name)))
        if (!SEAT_CHANGES[`${noun} ${verb}`])
          advice.push(
            `Add a line of ${`tourctl ${noun} ${verb}`.trim()} to SEAT_CHANGES if it changes seats, otherwise name it in OTHER_COMMANDS or OTHER_NOUNS.`,
          );
    }
    expect(advice).toEqual([]);
  });
});
