import { changeHold } from '../../services/api/seats/changes/change-hold';
import { inTransaction } from '../../services/platform/database/database';
import { change } from '../support/change';
import { daysFromToday, givenDeparture } from '../support/given';
import { useSales } from './sales';

const sales = useSales();

describe('tourctl booking change', () => {
  it('tourctl booking change changes the date and the travellers, and the history names the operator', async () => {
    const { db, tenant, tour, date } = sales;
    const other = await givenDeparture(db, tour, {
      date: daysFromToday(31),
      seats: 3,
      prices: { adult: 60_000, child: 30_000 },
    });
    const { bookingRef } = await sales.book(1);
    const line = `booking change ${bookingRef} --date ${other} --adults 2 --children 1`;
    expect(await sales.json(line)).toMatchObject({
      booking_ref: bookingRef,
      departure_date: other,
      adults: 2,
      children: 1,
      total_price: 1_500,
      status: 'pending_payment',
    });
    expect(await sales.lastAudit()).toMatchObject({
      action: 'booking.change',
      subject: bookingRef,
      tenantId: tenant.id,
      before: { departure_date: date, adults: 1 },
      after: { departure_date: other, adults: 2 },
    });
    const { history } = await sales.json(`booking show ${bookingRef}`);
    expect(history).toMatchObject([
      { event: 'booked', detail: `1 seat on ${date}` },
      {
        event: 'changed',
        by: 'operator olga',
        detail: expect.stringContaining(
          `departure date from ${date} to ${other}, adults from 1 to 2, children from 0 to 1`,
        ),
      },
    ]);
    expect(await sales.refusal(`booking change ${bookingRef} --adults 3`)).toBe('1 insufficient_seats');
    expect(await sales.refusal(`booking change ${bookingRef} --date ${daysFromToday(60)}`)).toBe(
      '1 departure_gone',
    );
  });

  it("tourctl booking change changes the customer, and reads the phone number by the tenant's country", async () => {
    const { bookingRef, departureDate } = await sales.book(1, { notes: 'Vegan' });
    const people = ['--name', 'Rui Lima', '--phone', '030 901821', '--email', 'rui@example.com'];
    const words = ['booking', 'change', bookingRef, ...people, '--notes', 'No nuts'];
    expect((await sales.tourctl(words)).code).toBe(0);
    const { after } = await sales.lastAudit();
    expect(after).toMatchObject({ changed_personal_data: ['name', 'phone', 'email', 'notes'] });
    expect(JSON.stringify(after)).not.toMatch(/Rui|901821|nuts/);
    expect(await sales.json(`booking show ${bookingRef} --reveal`)).toMatchObject({
      customer: { name: 'Rui Lima', phone: '+4930901821', email: 'rui@example.com' },
      notes: 'No nuts',
      departure_date: departureDate,
    });
    const { stdout } = await sales.tourctl(`booking show ${bookingRef}`);
    expect(stdout).toMatch(/changed +operator olga +name, phone, email, notes/);
    expect(stdout).not.toContain('Rui');
  });

  it('tourctl booking change says that nothing was changed if the values are equal, and leaves no second event', async () => {
    const { bookingRef } = await sales.book(1);
    const again = await sales.tourctl(`booking change ${bookingRef} --adults 1`);
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('nothing was changed')]);
    expect((await sales.json(`booking show ${bookingRef}`)).history).toHaveLength(1);
  });

  it.each(['', '--adults 51', '--date tomorrow', '--email nobody', '--name='])(
    'tourctl booking change exits with 2 for the flags "%s"',
    async (flags) => {
      expect((await sales.tourctl(`booking change ACME-1042 ${flags} --json`)).code).toBe(2);
    },
  );

  it('tourctl booking change refuses to change a cancelled booking and an unknown booking', async () => {
    const { bookingRef } = await sales.book(1);
    await sales.tourctl(`booking cancel ${bookingRef} --yes`);
    expect(await sales.refusal(`booking change ${bookingRef} --adults 2`)).toBe('1 booking_state_conflict');
    expect(await sales.refusal('booking change ZZ-99999999 --adults 2')).toBe('1 booking_not_found');
  });

  it('tourctl hold show lists the changes of a hold in its history', async () => {
    const { id } = await sales.hold(1);
    const named = { holdId: id, by: 'key AAAAAAAAAAAA', customer: { name: 'Rui' }, party: { quantity: 2 } };
    await inTransaction(sales.db, (trx) => change(trx, sales.tenant, changeHold, named));
    const { history } = await sales.json(`hold show ${id}`);
    expect(history).toMatchObject([
      { event: 'placed', detail: '1 seat' },
      { event: 'changed', by: 'key AAAAAAAAAAAA', detail: 'adults from 1 to 2, name' },
    ]);
  });
});
