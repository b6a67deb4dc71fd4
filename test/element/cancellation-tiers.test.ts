import { tiersAhead } from '../../clients/booking-element/src/cancellation-tiers';
import type { Tour } from '../../clients/booking-element/src/wire';
import { refundOf } from '../../services/api/bookings/refund';
import { useTestDatabase } from '../support/database';

const database = useTestDatabase();

/** Zones with other rules for their clocks: at night, at midnight, by half an hour, around Ramadan, never. */
const ZONES = [
  'Europe/Berlin',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Asia/Ho_Chi_Minh',
  'America/St_Johns',
];
/** Days on which the clocks of a zone change, and a later one that a tier of days reaches back from. */
const DATES = [
  '2027-03-28',
  '2027-03-29',
  '2027-04-04',
  '2027-09-05',
  '2027-10-03',
  '2027-10-31',
  '2027-11-07',
];
const TIMES = [null, '00:00', '01:45', '02:15', '02:30', '03:00', '12:00', '23:30'];
const TIERS = ['30d', '2d', '36h', '1d', '90m', '0h'].map((until, place) => ({
  until,
  refund_percent: 100 - 15 * place,
}));

function tour(rest: Partial<Tour> = {}): Tour {
  return { time_zone: 'UTC', cancellation: { tiers: TIERS }, ...rest } as Tour;
}
const sale = (rest = {}) => ({
  departure_date: '2027-05-12',
  departure_time: '18:00' as string | null,
  total_price: 979,
  currency: 'EUR',
  ...rest,
});

describe('the tiers of the cancellation for a departure', () => {
  it.each(ZONES)('in %s each tier ends at the instant of the platform', async (time_zone) => {
    for (const departure_date of DATES)
      for (const departure_time of TIMES) {
        const { rows } = await database.db.raw<{ rows: { tiers: { at: string }[] }[] }>(
          'select dated_tiers(?::jsonb, ?::date, ?::text, ?::text) as tiers',
          [JSON.stringify({ tiers: TIERS }), departure_date, departure_time, time_zone],
        );
        const shown = tiersAhead(tour({ time_zone }), sale({ departure_date, departure_time }), 0)!;
        const named = [departure_date, departure_time];
        expect([named, shown.map(({ endsAt }) => new Date(endsAt).toISOString())]).toEqual([
          named,
          rows[0]!.tiers.map(({ at }) => new Date(at).toISOString()),
        ]);
      }
  });

  it.each([
    ['EUR', 979, 2],
    ['EUR', 10.01, 2],
    ['JPY', 128_001, 0],
    ['KWD', 12.345, 3],
  ])('a share of a total in %s has the amount of the platform: %d', (currency, total_price, digits) => {
    const refunds = tiersAhead(tour(), sale({ currency, total_price }), 0)!.map(({ refund }) => refund);
    const minor = Math.round(total_price * 10 ** digits);
    expect(refunds).toEqual(
      TIERS.map(({ refund_percent }) => refundOf(minor, refund_percent).minor / 10 ** digits),
    );
  });

  it('a tier that has ended is left out, at its last instant too', () => {
    const endOf36Hours = Date.parse('2027-05-11T06:00:00Z');
    const endsFrom = (now: number) => tiersAhead(tour(), sale(), now)!.map(({ endsAt }) => endsAt);
    expect(endsFrom(endOf36Hours - 1)[0]).toBe(endOf36Hours);
    expect(endsFrom(endOf36Hours)[0]).toBe(Date.parse('2027-05-11T18:00:00Z'));
    expect(endsFrom(Date.parse('2027-05-12T18:00:00Z'))).toEqual([]);
  });

  it('a tour without a policy has no tiers, and a browser that does not know its time zone dates none', () => {
    expect(tiersAhead(tour({ cancellation: null }), sale(), 0)).toBeUndefined();
    expect(tiersAhead(tour({ time_zone: 'Moon/Tranquility' }), sale(), 0)).toBeUndefined();
  });
});
