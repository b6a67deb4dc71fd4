import { daysFromToday, givenDeparture } from '../support/given';
import { useSales } from './sales';

const sales = useSales();
/** A date with two departures. `sales.date` has one departure, without a time. */
const DATE = daysFromToday(40);

let ref: string;
beforeAll(async () => {
  for (const startTime of ['09:30', '14:30'])
    await givenDeparture(sales.db, sales.tour, { date: DATE, startTime, seats: 10 });
  ref = (await sales.book(3)).bookingRef;
});

describe('a booking at a date with several departures', () => {
  it('tourctl booking change refuses a date with several departures, and lists their times', async () => {
    const { code, error } = await sales.tourctl(`booking change ${ref} --date ${DATE} --json`);
    expect([code, error.message]).toEqual([
      2,
      `${sales.tour.slug} has several departures on ${DATE}: name one of ${DATE}T09:30, ${DATE}T14:30`,
    ]);
  });

  it('tourctl booking change moves the booking to another time, which booking list, the history and an export show', async () => {
    const { tour, date, tourctl, json } = sales;
    const moved = await json(`booking change ${ref} --date ${DATE}T14:30`);
    expect(moved).toMatchObject({ departure_date: DATE, departure_time: '14:30' });
    const again = await json(`booking change ${ref} --date ${DATE}T09:30`);
    expect(again).toMatchObject({ departure_date: DATE, departure_time: '09:30' });
    expect((await json(`booking change ${ref} --adults 4`)).departure_time).toBe('09:30');
    const { history } = await json(`booking show ${ref}`);
    expect(history).toMatchObject([
      { event: 'booked', detail: `3 seats on ${date}` },
      { event: 'changed', detail: expect.stringContaining('14:30') },
      { event: 'changed', detail: expect.stringContaining('departure time from 14:30 to 09:30') },
      { event: 'changed' },
    ]);
    expect((await tourctl('booking list')).stdout).toContain(`${DATE} 09:30`);
    expect((await tourctl('booking export')).stdout.split('\r\n').slice(0, 2)).toEqual([
      expect.stringMatching(
        /,departure_status,departure_time,child_unit_price,single_supplement_unit_price,refund_percent,refund_amount,party,prices,source,adjustment_amount,adjustment_reason,answers,pickup,customer_phone_as_sent$/,
      ),
      expect.stringMatching(/,scheduled,09:30,,,,,"{""adult"":4}","{""adult"":500}",tenant_api,,,,,$/),
    ]);
    const cancel = await tourctl(`departure cancel ${tour.slug} ${DATE}T09:30 --yes`);
    expect(cancel.stdout).toContain(`${tour.slug} on ${DATE} 09:30 is cancelled; 1 booking is affected`);
    const { before, after } = (await json('audit list --action departure.cancel')).items[0];
    expect([before.start_time, after.start_time]).toEqual(['09:30', '09:30']);
  });

  it('tourctl pricing simulate requires a time for a date with several departures', async () => {
    const { tenant, tour, json, refusal } = sales;
    const line = `pricing simulate ${tenant.slug} ${tour.slug} --date ${DATE}`;
    expect(await json(`${line}T14:30`)).toMatchObject({ departure_date: DATE, departure_time: '14:30' });
    expect(await refusal(line)).toBe('2 departure_time_missing');
    expect(await json(`pricing simulate ${tenant.slug} ${tour.slug} --date ${sales.date}`)).toMatchObject({
      departure_date: sales.date,
      departure_time: null,
    });
  });
});
