import { useTestApi } from '../support/api';
import { daysFromToday, givenTenant } from '../support/given';
import { givenSeats, type Seats, seatsTaken, useWebsite } from '../support/website';
import { useTerminalOf } from './terminal';

const api = useTestApi();
const terminal = useTerminalOf(api);
const site = useWebsite(api);

const ADD = '--add-seats --reason Guide-takes-one-more';

/** Returns the line of a sale of the tenant of the website. */
const sale = ({ tour, date }: Seats, adults: number, more = '', slug = site.tenant.slug) =>
  `booking add ${tour.slug} ${date} --tenant ${slug} --party adult=${adults} --name Ana --phone +4930901820 ${more}`;

const seatsTotal = async ({ tour }: Seats) =>
  (await api.db('departures').where({ tour_id: tour.id }).first('seats_total')).seatsTotal;

const lastAudit = () => api.db('audit_log').orderBy('id', 'desc').first();

describe('--add-seats', () => {
  it('raises the seats by what is missing and sells, in one audit row with the reason', async () => {
    const seats = await givenSeats(api.db, { seats: 3 });
    await terminal.json(sale(seats, 2));
    const sold = await terminal.json(sale(seats, 3, ADD));
    expect(sold).toMatchObject({ seats_total: { before: 3, after: 5 }, party: { adult: 3 } });
    expect([await seatsTotal(seats), await seatsTaken(api.db, seats)]).toEqual([5, 5]);
    expect(await lastAudit()).toMatchObject({
      action: 'booking.add',
      after: { seats_total: { before: 3, after: 5 }, reason: 'Guide-takes-one-more' },
    });
  });

  it('says that a catalog file with the old number will be refused', async () => {
    const seats = await givenSeats(api.db, { seats: 1 });
    const { stdout } = await terminal.tourctl(sale(seats, 2, ADD));
    expect(stdout.replace(/\s+/g, ' ')).toContain('a catalog file with 1 is refused');
  });

  it('raises nothing where the seats suffice', async () => {
    const seats = await givenSeats(api.db, { seats: 3 });
    expect(await terminal.json(sale(seats, 2, ADD))).toMatchObject({ seats_total: null });
    expect(await seatsTotal(seats)).toBe(3);
  });

  it('raises nothing where the sale is refused', async () => {
    const seats = await givenSeats(api.db, { seats: 1, date: daysFromToday(-2) });
    expect(await terminal.refusal(sale(seats, 2, ADD))).toBe('1 departure_gone');
    expect(await seatsTotal(seats)).toBe(1);
  });

  it('needs a reason, and is refused for a sandbox tenant', async () => {
    const seats = await givenSeats(api.db, { seats: 1 });
    expect(await terminal.refusal(sale(seats, 2, '--add-seats'))).toBe('2 usage_error');
    const { slug } = await givenTenant(api.db, { sandbox: true });
    expect(await terminal.refusal(sale(seats, 2, ADD, slug))).toBe('1 sandbox_tenant');
    expect(await seatsTotal(seats)).toBe(1);
  });

  it('counts the seats of the hold that the sale consumes', async () => {
    const seats = await givenSeats(api.db, { seats: 2 });
    const { body } = await site.hold(seats.tour, { departure_date: seats.date, quantity: 2 });
    const sold = await terminal.json(
      `booking add --hold ${body.hold_id} --tenant ${site.tenant.slug} --party adult=3 --name Ana --phone +4930901820 ${ADD}`,
    );
    expect(sold).toMatchObject({ seats_total: { before: 2, after: 3 } });
    expect(await seatsTaken(api.db, seats)).toBe(3);
  });

  it('hold add raises the seats too', async () => {
    const seats = await givenSeats(api.db, { seats: 1 });
    const line = `hold add ${seats.tour.slug} ${seats.date} --tenant ${site.tenant.slug} --party adult=2 ${ADD}`;
    expect(await terminal.json(line)).toMatchObject({ seats_total: { before: 1, after: 2 } });
  });

  it('beside sales of websites never sells a seat twice', async () => {
    const seats = await givenSeats(api.db, { seats: 4 });
    const order = { tour_id: seats.tour.slug, departure_date: seats.date };
    const [desks, sites] = await Promise.all([
      Promise.all([1, 2, 3].map(() => terminal.tourctl(`${sale(seats, 2, ADD)} --json`))),
      Promise.all([1, 2, 3, 4, 5, 6].map(() => site.book(order))),
    ]);
    expect(desks.map(({ code }) => code)).toEqual([0, 0, 0]);
    const sold = sites.filter(({ status }) => status === 201).length + 6;
    expect(await seatsTaken(api.db, seats)).toBe(sold);
    expect(await seatsTotal(seats)).toBe(Math.max(4, sold));
  });
});

describe('--request-id', () => {
  it('the same command with the same id sells once, and answers the first sale again', async () => {
    const seats = await givenSeats(api.db);
    const line = sale(seats, 2, '--request-id call-1 --email ana@example.com --notes Vegan');
    const first = await terminal.json(line);
    const audits = await api.db('audit_log').count('* as n').first();
    expect(await terminal.json(line)).toEqual(first);
    expect(await seatsTaken(api.db, seats)).toBe(2);
    expect(await api.db('audit_log').count('* as n').first()).toEqual(audits);
    const { stdout, stderr } = await terminal.tourctl(line);
    expect(stdout).toContain(first.booking_ref);
    expect(stderr).toContain('nothing was changed');
  });

  it('answers the first sale where a new one would be refused', async () => {
    const seats = await givenSeats(api.db, { seats: 2 });
    const line = sale(seats, 2, '--request-id call-2');
    const first = await terminal.json(line);
    await api.db('departures').where({ tour_id: seats.tour.id }).update({ status: 'cancelled' });
    expect(await terminal.json(line)).toEqual(first);
  });

  it('another command with the same id is refused', async () => {
    const seats = await givenSeats(api.db);
    await terminal.json(sale(seats, 2, '--request-id call-3'));
    for (const more of ['--notes Vegan', '--payment-method cash', '--adjust -1 --reason Late'])
      expect(await terminal.refusal(sale(seats, 2, `--request-id call-3 ${more}`))).toBe(
        '1 idempotency_key_reused',
      );
    const { code, stderr } = await terminal.tourctl(sale(seats, 1, '--request-id call-3'));
    expect(code).toBe(1);
    expect(stderr).toContain('error: This --request-id was used for another sale');
    expect(await seatsTaken(api.db, seats)).toBe(2);
  });

  it('is an operation of its own: a website and hold add may use the same key', async () => {
    const seats = await givenSeats(api.db);
    await terminal.json(sale(seats, 1, '--request-id call-4'));
    const order = { tour_id: seats.tour.slug, departure_date: seats.date };
    expect((await site.book(order, { 'Idempotency-Key': 'call-4' })).status).toBe(201);
    const line = `hold add ${seats.tour.slug} ${seats.date} --tenant ${site.tenant.slug} --party adult=1 --request-id call-4`;
    const hold = await terminal.json(line);
    expect(await terminal.json(line)).toEqual(hold);
    expect(await seatsTaken(api.db, seats)).toBe(3);
  });

  it('is kept for 7 days', async () => {
    const { rows } = await api.db.raw(
      `select distinct round(extract(epoch from expires_at - created_at) / 3600)::integer as hours
       from idempotency_keys where operation = 'desk.book'`,
    );
    expect(rows).toEqual([{ hours: 168 }]);
  });

  it('commands with one id at the same time sell once', async () => {
    const seats = await givenSeats(api.db);
    const line = `${sale(seats, 2, '--request-id call-5')} --json`;
    const answers = await Promise.all([1, 2, 3, 4].map(() => terminal.tourctl(line)));
    const sold = answers.filter(({ code }) => code === 0).map(({ json }) => json.booking_ref);
    expect(new Set(sold).size).toBe(1);
    expect(await seatsTaken(api.db, seats)).toBe(2);
  });

  it('after an erasure of the customer the id stays used, and no answer has the customer', async () => {
    const seats = await givenSeats(api.db);
    const line = sale(seats, 1, '--request-id call-6 --adjust -5 --reason Mother-of-Ana');
    const { booking_ref: ref } = await terminal.json(line);
    await terminal.json(`booking anonymize ${ref} --force --yes`);
    expect(await terminal.refusal(line)).toBe('1 idempotency_key_reused');
    const kept = await api.db('idempotency_keys').where({ key: 'call-6' }).first();
    expect(kept).toMatchObject({ answer: null, fingerprint: null });
  });
});
