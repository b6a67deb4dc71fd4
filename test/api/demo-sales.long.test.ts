import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { seedDemo } from '../../services/api/demo/seed-demo';
import { inTransaction } from '../../services/platform/database/database';
import { useTerminalOf } from '../cli/terminal';
import { useTestApi } from '../support/api';
import { daysFromToday, PEPPER } from '../support/given';
import { useTemporaryFolder } from '../support/temporary-folder';
import { useWebsite } from '../support/website';

const api = useTestApi();
const reader = useWebsite(api);
const terminal = useTerminalOf(api);
const FOLDER = useTemporaryFolder();

type Party = Record<string, number>;

/** The tours of the demo with price categories: two parties with their seats, and the units of a reseller's booking. */
const SALES: Record<
  string,
  { party: Party; seats: number; changed: Party; changedSeats: number; units: string[] }
> = {
  'amsterdam-museum-first-hour': {
    party: { adult: 1, senior: 1, child: 1, infant: 2 },
    seats: 3,
    changed: { adult: 1, senior: 2, child: 1, infant: 1 },
    changedSeats: 4,
    units: ['senior', 'infant'],
  },
  'kotor-bay-private-boat': {
    party: { boat: 1 },
    seats: 8,
    changed: { boat: 2 },
    changedSeats: 16,
    units: ['boat'],
  },
  'zanzibar-spice-and-stone-town': {
    party: { adult: 1, child: 1, family: 1 },
    seats: 6,
    changed: { adult: 2, family: 2 },
    changedSeats: 10,
    units: ['family', 'adult', 'child'],
  },
  'annapurna-base-camp': {
    party: { adult: 2, single_supplement: 1, porter: 2 },
    seats: 2,
    changed: { adult: 3, single_supplement: 1, porter: 1 },
    changedSeats: 3,
    units: ['adult', 'adult'],
  },
};

interface Departure {
  id: string;
  departure_date: string;
  start_time: string | null;
  seats_available: number;
  tenant_prices: Record<string, number>;
}

beforeAll(() => inTransaction(api.db, (trx) => seedDemo(trx, daysFromToday(0), PEPPER)));

const departuresOf = async (slug: string): Promise<Departure[]> => {
  const { body } = await reader.get(`/api/tenant/tours/${slug}/departures?status=available`);
  return body.items as Departure[];
};

/** Returns the free seats of the two departures. */
const freeSeats = async (slug: string, ids: string[]) => {
  const departures = await departuresOf(slug);
  const seatsOf = (id: string) => departures.find((one) => one.id === id)?.seats_available ?? 0;
  return ids.map(seatsOf);
};

/** The model: the sum of units times prices, in major units. */
const totalOf = (party: Party, { tenant_prices }: Departure) =>
  Number(
    Object.entries(party)
      .reduce((sum, [code, units]) => sum + units * tenant_prices[code]!, 0)
      .toFixed(2),
  );

/** The change from one party to another: a category that goes is 0. */
const changeOf = (from: Party, to: Party): Party => ({
  ...Object.fromEntries(Object.keys(from).map((code) => [code, 0])),
  ...to,
});

const at = ({ departure_date, start_time }: Departure) => ({
  departure_date,
  ...(start_time && { departure_time: start_time }),
});

describe.each(Object.entries(SALES))(
  'the demo tour %s',
  (slug, { party, seats, changed, changedSeats, units }) => {
    it('a party is held, booked, changed, moved and cancelled at the prices of its categories, and its seats come back', async () => {
      const [first, other] = (await departuresOf(slug)) as [Departure, Departure];
      const ids = [first.id, other.id];
      const [free, otherFree] = (await freeSeats(slug, ids)) as [number, number];

      const hold = await reader.hold(slug, { ...at(first), party });
      const total = totalOf(party, first);
      expect([hold.status, hold.body]).toMatchObject([201, { party, quantity: seats, total_price: total }]);
      const sale = { tour_id: slug, hold_id: hold.body.hold_id, party, expected_total: total };
      const booked = await reader.book(sale);
      expect([booked.status, booked.body]).toMatchObject([201, { party, total_price: total }]);
      expect(await freeSeats(slug, ids)).toEqual([free - seats, otherFree]);

      const booking = `/api/tenant/bookings/${booked.body.booking_ref}`;
      const larger = await reader.patch(booking, { party: changeOf(party, changed) });
      expect(larger.body).toMatchObject({ party: changed, total_price: totalOf(changed, first) });
      expect(await freeSeats(slug, ids)).toEqual([free - changedSeats, otherFree]);

      const moved = await reader.patch(booking, at(other));
      expect(moved.body).toMatchObject({ party: changed, total_price: totalOf(changed, other) });
      expect(await freeSeats(slug, ids)).toEqual([free, otherFree - changedSeats]);

      expect((await reader.post(`${booking}/cancel`, {})).body).toMatchObject({ status: 'cancelled' });
      expect(await freeSeats(slug, ids)).toEqual([free, otherFree]);
    });

    it('a reseller books and cancels its units through OCTO at the prices of REST', async () => {
      const [first] = (await departuresOf(slug)) as [Departure];
      const { body: tour } = await reader.get(`/api/tenant/tours/${slug}`);
      const reservation = {
        productId: tour.id,
        optionId: 'DEFAULT',
        availabilityId: first.id,
        unitItems: units.map((unitId) => ({ unitId })),
      };
      const made = await reader.post('/octo/bookings', reservation, { 'octo-capabilities': 'octo/pricing' });
      const total = units.reduce((sum, code) => sum + totalOf({ [code]: 1 }, first), 0);
      expect([made.status, made.body]).toMatchObject([
        200,
        { status: 'ON_HOLD', pricing: { retail: Math.round(total * 100) } },
      ]);
      expect(made.body.unitItems.map(({ unitId }: { unitId: string }) => unitId).sort()).toEqual(
        [...units].sort(),
      );
      const contact = { fullName: 'Ana Lima', emailAddress: 'ana@example.com', phoneNumber: '+49 30 901820' };
      const confirmed = await reader.post(`/octo/bookings/${made.body.uuid}/confirm`, { contact });
      expect(confirmed.body).toMatchObject({ status: 'CONFIRMED' });
      const cancelled = await reader.delete(`/octo/bookings/${made.body.uuid}`);
      expect(cancelled.body).toMatchObject({ status: 'CANCELLED' });
      expect(await freeSeats(slug, [first.id])).toEqual([first.seats_available]);
    });
  },
);

it.each(['json', 'csv'])('an import of the exported demo (%s) changes nothing', async (format) => {
  const files = format === 'csv' ? ['tours', 'departures'] : ['tours'];
  const names: string[] = [];
  for (const part of files) {
    const only = format === 'csv' ? `--format csv --only ${part}` : '--json';
    const { stdout } = await terminal.tourctl(`catalog export ${only}`);
    const name = path.join(FOLDER, `${part}.${format}`);
    writeFileSync(name, stdout);
    names.push(name);
  }
  const { code, json } = await terminal.tourctl(`catalog import ${names.join(' ')} --json`);
  expect([code, json.errors]).toEqual([0, []]);
  expect(json.tours).toEqual({ created: 0, updated: 0, unchanged: 53 });
  expect(json.departures).toMatchObject({ created: 0, updated: 0 });
});
