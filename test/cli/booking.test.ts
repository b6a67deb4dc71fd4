import { givenVisibilityRule } from '../support/given';
import { endPaymentWindow } from '../support/website';
import { ANA, useSales } from './sales';

const sales = useSales();

const cancel = (...refs: string[]) =>
  Promise.all(refs.map((ref) => sales.tourctl(`booking cancel ${ref} --yes`)));

describe('tourctl booking', () => {
  it('tourctl booking list filters by status and reference, and lists older bookings with --before', async () => {
    const older = await sales.book(1);
    const newer = await sales.book(1);
    const list = async (flags: string) => {
      const line = `booking list --tenant ${sales.tenant.slug} --status pending_payment --external-ref order-1`;
      const json = await sales.json(`${line} ${flags}`);
      return json.items.map((item: { booking_ref: string }) => item.booking_ref);
    };
    expect(await list('')).toEqual([newer.bookingRef, older.bookingRef]);
    expect(await list('--limit 1')).toEqual([newer.bookingRef]);
    expect(await list(`--before ${newer.bookingRef}`)).toEqual([older.bookingRef]);
    expect(await list('--until 1h')).toEqual([]);
    await cancel(older.bookingRef, newer.bookingRef);
  });

  it.each(['confirm', 'cancel'])(
    'a second `booking %s` exits with 0, says that nothing changed, and leaves no event or audit row',
    async (verb) => {
      const status = verb === 'confirm' ? 'confirmed' : 'cancelled';
      await sales.db('webhook_endpoints').insert({
        tenant_id: sales.tenant.id,
        url: 'https://acme.example/hook',
        events: [`booking.${status}`],
      });
      const { bookingRef } = await sales.book(1);
      const first = await sales.tourctl(`booking ${verb} ${bookingRef} --yes --json`);
      expect([first.code, first.json.status]).toEqual([0, status]);
      const second = await sales.tourctl(`booking ${verb} ${bookingRef} --yes`);
      expect([second.code, second.stderr]).toEqual([
        0,
        expect.stringContaining(`${bookingRef} was already ${status}`),
      ]);
      expect(await sales.json(`booking ${verb} ${bookingRef} --yes`)).toEqual(first.json);
      const events = await sales.db('webhook_events').where({ booking_ref: bookingRef }).pluck('type');
      expect(events.sort()).toEqual(['booking.created', `booking.${status}`].sort());
      expect(await sales.db('audit_log').where({ subject: bookingRef })).toHaveLength(1);
      await cancel(bookingRef);
      await sales.db('webhook_endpoints').update({ events: ['endpoint.disabled'] });
    },
  );

  it('tourctl booking cancel frees the seats and leaves an audit row', async () => {
    const { bookingRef } = await sales.book(4);
    const before = await sales.seatsTaken();
    const json = await sales.json(`booking cancel ${bookingRef} --yes`);
    expect(json).toMatchObject({ status: 'cancelled' });
    expect(await sales.seatsTaken()).toBe(before - 4);
    expect(await sales.lastAudit()).toMatchObject({
      action: 'booking.cancel',
      subject: bookingRef,
      tenantId: sales.tenant.id,
    });
  });

  it('tourctl booking exits with 1 for an unknown reference and with 2 for a malformed reference', async () => {
    for (const verb of ['show', 'confirm', 'cancel', 'anonymize']) {
      expect(await sales.refusal(`booking ${verb} ZZ-99999999 --yes`)).toBe('1 booking_not_found');
      expect((await sales.tourctl(`booking ${verb} nonsense --yes --json`)).code).toBe(2);
    }
  });
});

describe('tourctl booking expire', () => {
  it('tourctl booking expire lists expired bookings in a dry run, and otherwise records each expiry once', async () => {
    const [paid, unpaid] = [await sales.book(1), await sales.book(2)];
    await sales.tourctl(`booking confirm ${paid.bookingRef}`);
    for (const lead of [paid, unpaid]) await endPaymentWindow(sales.db, lead.bookingRef);
    const stored = () => sales.db('booking_leads').where({ id: unpaid.id }).first('status');

    const dry = await sales.tourctl('booking expire --dry-run --json');
    expect(dry.json).toMatchObject({ items: [{ booking_ref: unpaid.bookingRef, status: 'expired' }] });
    expect(await stored()).toEqual({ status: 'pending_payment' });

    const done = await sales.tourctl('booking expire --json');
    expect(done.json.items).toEqual(dry.json.items);
    expect(await stored()).toEqual({ status: 'expired' });
    expect(await sales.lastAudit()).toMatchObject({
      action: 'booking.expire',
      subject: `${sales.tour.slug} ${sales.date}`,
      after: { bookings: [unpaid.bookingRef] },
    });
    expect((await sales.json('booking expire')).items).toEqual([]);
    await cancel(paid.bookingRef);
  });

  it('the history of a booking shows its expiry and its later confirmation', async () => {
    const { bookingRef } = await sales.book(1);
    await endPaymentWindow(sales.db, bookingRef);
    await sales.tourctl(`booking confirm ${bookingRef}`);
    const json = await sales.json(`booking show ${bookingRef}`);
    expect(json.history.map((m: { event: string }) => m.event)).toEqual(['booked', 'expired', 'confirmed']);
    expect(json.history[0].detail).toBe(`1 seat on ${json.departure_date}`);
    await cancel(bookingRef);
  });
});

describe('tourctl booking confirm', () => {
  it('an operator confirms an expired booking of a closed departure and of a tour that its tenant does not see', async () => {
    const { db, tenant, tour } = sales;
    const { bookingRef } = await sales.book(1);
    await endPaymentWindow(db, bookingRef);
    await givenVisibilityRule(db, { tenant }, tour, false);
    await db('departures').where({ tour_id: tour.id }).update({ closes_at: '2020-01-01T00:00:00Z' });
    expect(await sales.json(`booking confirm ${bookingRef}`)).toMatchObject({ status: 'confirmed' });
    await db('departures').where({ tour_id: tour.id }).update({ closes_at: null });
    await db('visibility_tour_rules').where({ tenant_id: tenant.id }).delete();
    await cancel(bookingRef);
  });
});

describe('tourctl booking show', () => {
  it('tourctl booking show shows the whole history without a tenant argument', async () => {
    const hold = await sales.hold(2);
    const { bookingRef } = await sales.book(2, { holdId: hold.id });
    await sales.tourctl(`booking confirm ${bookingRef}`);
    await cancel(bookingRef);

    const { json, code } = await sales.tourctl(`booking show ${bookingRef} --json`);

    expect(code).toBe(0);
    expect(json).toMatchObject({ booking_ref: bookingRef, tenant: sales.tenant.slug, unit_price: 500 });
    expect(json.history.map((m: { event: string; by: string }) => [m.event, m.by])).toEqual([
      ['placed', 'key AAAAAAAAAAAA'],
      ['consumed', 'key AAAAAAAAAAAA'],
      ['booked', 'key AAAAAAAAAAAA'],
      ['confirmed', 'operator olga'],
      ['cancelled', 'operator olga'],
    ]);
    expect(json.audit.map((row: { action: string }) => row.action)).toEqual([
      'booking.confirm',
      'booking.cancel',
    ]);
    expect(json.deliveries).toMatchObject([{ event_type: 'booking.created', status: 'pending', tries: [] }]);
    const { stdout } = await sales.tourctl(`booking show ${bookingRef}`);
    expect(stdout).toMatch(/confirmed +operator olga/);
    expect(stdout).toContain("500.00 EUR, the platform's own price");
  });

  it('tourctl booking show, list and export say that the departure of a booking is cancelled', async () => {
    const { bookingRef } = await sales.book(1);
    const undated = await sales.book(1, { departureDate: null });
    const departure = `${sales.tour.slug} ${sales.date}`;
    expect(await sales.json(`booking show ${bookingRef}`)).toMatchObject({ departure_status: 'scheduled' });
    await sales.json(`departure cancel ${departure} --yes`);
    const shown = { booking_ref: bookingRef, status: 'pending_payment', departure_status: 'cancelled' };
    expect(await sales.json(`booking show ${bookingRef}`)).toMatchObject(shown);
    expect((await sales.json('booking list --limit 2')).items).toMatchObject([
      { booking_ref: undated.bookingRef, departure_date: null, departure_status: null },
      shown,
    ]);
    const list = await sales.tourctl('booking list --limit 2');
    expect(list.stdout.match(/\d cancelled/g)).toEqual([`${sales.date.at(-1)} cancelled`]);
    const [head, , line] = (await sales.tourctl('booking export')).stdout.split('\r\n');
    expect([head, line]).toEqual([
      expect.stringMatching(
        /,departure_status,departure_time,child_unit_price,single_supplement_unit_price,refund_percent,refund_amount,party,prices,source,adjustment_amount,adjustment_reason,answers,pickup,customer_phone_as_sent$/,
      ),
      expect.stringMatching(
        new RegExp(`^${bookingRef},.*,cancelled,,,,,,"{""adult"":1}","{""adult"":500}",tenant_api,,,,,$`),
      ),
    ]);
    await sales.json(`departure reopen ${departure} --yes`);
    expect(await sales.json(`booking show ${bookingRef}`)).toMatchObject({ departure_status: 'scheduled' });
    await cancel(bookingRef, undated.bookingRef);
  });

  it('tourctl booking show names the price rule that made the price', async () => {
    const { tenant } = sales;
    await sales.tourctl(`pricing add ${tenant.slug} --percent 10`);
    const { bookingRef } = await sales.book(1);
    const { stdout } = await sales.tourctl(`booking show ${bookingRef}`);
    expect(stdout).toMatch(/550\.00 EUR, made of the platform's 500\.00 EUR by rule \d+ \(all, percent 10\)/);
    await cancel(bookingRef);
  });
});

describe("a booking's customer", () => {
  const MASKED = { name: 'A… L…', phone: '+49…20', email: 'a…@e….com' };

  it('tourctl booking list and show mask the customer and the notes', async () => {
    const { bookingRef } = await sales.book(1, { notes: 'Ana is vegan' });
    const shown = await sales.tourctl(`booking show ${bookingRef} --json`);
    expect(shown.json).toMatchObject({ customer: MASKED, notes: '…' });
    const { stdout } = await sales.tourctl(`booking show ${shown.json.booking_ref}`);
    expect(stdout).toMatch(/^notes +… \(--reveal shows it\)$/m);
    expect((await sales.json('booking list --limit 1')).items).toMatchObject([{ customer: MASKED }]);
    for (const line of [`booking show ${bookingRef}`, 'booking list']) {
      expect((await sales.tourctl(line)).stdout).not.toMatch(/Lima|vegan|901820|ana@/);
    }
    await cancel(bookingRef);
  });

  it('tourctl booking show --reveal shows the customer, and each use leaves one audit row', async () => {
    const { bookingRef } = await sales.book(1, { notes: 'Ana is vegan' });
    const rows = async () => (await sales.db('audit_log').where({ action: 'booking.reveal' })).length;
    const before = await rows();
    const shown = await sales.tourctl(`booking show ${bookingRef} --reveal --json`);
    expect(shown.json).toMatchObject({ customer: ANA, notes: 'Ana is vegan' });
    expect(await sales.lastAudit()).toMatchObject({ action: 'booking.reveal', subject: bookingRef });
    const list = await sales.tourctl(`booking list --tenant ${sales.tenant.slug} --limit 1 --reveal`);
    expect(list.stdout).toContain('Ana Lima, +4930901820, ana@example.com');
    expect(await sales.lastAudit()).toMatchObject({
      action: 'booking.reveal',
      tenantId: sales.tenant.id,
      after: { bookings: 1 },
    });
    expect(await rows()).toBe(before + 2);
    await cancel(bookingRef);
  });

  it('the audit log never contains the customer', async () => {
    const { rows } = await sales.db.raw(
      `select count(*) as n from audit_log where concat(subject, before, after) ~ 'Ana|901820|example.com|vegan'`,
    );
    expect(rows[0].n).toBe(0);
  });
});
