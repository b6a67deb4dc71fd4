import { useTestApi } from '../support/api';
import { daysFromToday, givenTenant } from '../support/given';
import { givenSeats, givenWebsite, seatsTaken, useWebsite } from '../support/website';
import { useTerminalOf } from './terminal';

const api = useTestApi();
const terminal = useTerminalOf(api);
const site = useWebsite(api);

const PERSON = '--name Ana --phone +4930901820';

/** Returns the command line of a sale of the tenant of the website. */
const lineOf = (slug: string, place: string, more = '') =>
  `booking add ${place} --tenant ${slug} ${PERSON} ${more}`;

/** Returns an instant so many minutes from now. */
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

const lastAudit = () => api.db('audit_log').orderBy('id', 'desc').first();

describe('tourctl booking add', () => {
  it('sells as REST does: the booking has its price and its seats, the source desk, and the operator as its actor', async () => {
    const seats = await givenSeats(api.db, { seats: 4, prices: { adult: 50_000, child: 20_000 } });
    const sold = await terminal.json(
      lineOf(site.tenant.slug, `${seats.tour.slug} ${seats.date}`, '--party adult=2,child=1 --notes Vegan'),
    );
    expect(sold).toMatchObject({
      tenant: site.tenant.slug,
      tour: seats.tour.slug,
      departure_date: seats.date,
      party: { adult: 2, child: 1 },
      total_price: 1_200,
      status: 'pending_payment',
      source: 'desk',
      late: false,
    });
    expect(await seatsTaken(api.db, seats)).toBe(3);
    const { body } = await site.get(`/api/tenant/bookings/${sold.booking_ref}`);
    expect(body).toMatchObject({
      source: 'desk',
      customer: { name: 'Ana', phone: '+4930901820', email: null },
    });
    expect(await lastAudit()).toMatchObject({
      action: 'booking.add',
      subject: sold.booking_ref,
      tenantId: site.tenant.id,
      before: null,
    });
    const { history } = await terminal.json(`booking show ${sold.booking_ref}`);
    expect(history[0]).toMatchObject({ event: 'booked', by: 'operator olga' });
  });

  it('sends booking.created with the source tenant_api and no e-mail', async () => {
    const seats = await givenSeats(api.db);
    await terminal.json(`webhook add ${site.tenant.slug} https://acme.example/hook --event booking.created`);
    const { booking_ref: ref } = await terminal.json(
      lineOf(site.tenant.slug, `${seats.tour.slug} ${seats.date}`, '--party adult=1'),
    );
    const event = await api.db('webhook_events').where({ booking_ref: ref }).first();
    expect(event).toMatchObject({ type: 'booking.created' });
    expect(JSON.parse(event.body)).toMatchObject({
      source: 'tenant_api',
      customer: { name: 'Ana', email: null },
    });
  });

  it('without a terminal names all missing values at once, with exit 2', async () => {
    const { code, stderr } = await terminal.tourctl('booking add');
    expect(code).toBe(2);
    for (const name of ['--tenant', '<tour>', '<date>', '--party', '--name', '--phone'])
      expect(stderr).toContain(`${name} is missing`);
  });

  it('uses the tenant of tourctl use, and says so', async () => {
    const seats = await givenSeats(api.db);
    terminal.env['TOURCTL_TENANT'] = site.tenant.slug;
    const line = `booking add ${seats.tour.slug} ${seats.date} --party adult=1 ${PERSON}`;
    const { code, stderr } = await terminal.tourctl(line);
    delete terminal.env['TOURCTL_TENANT'];
    expect(code).toBe(0);
    expect(stderr).toContain(`Tenant: ${site.tenant.slug}`);
  });

  it('after the sale shows the total, what is due until when, and the command that confirms it', async () => {
    const seats = await givenSeats(api.db);
    const { stdout } = await terminal.tourctl(
      lineOf(site.tenant.slug, `${seats.tour.slug} ${seats.date}`, '--party adult=1'),
    );
    expect(stdout).toMatch(/500\.00 EUR is due.*until \d{4}-\d\d-\d\d/);
    expect(stdout).toMatch(/tourctl booking confirm [A-Z0-9]+-\d+/);
  });

  it('with --confirm the booking is confirmed in the same transaction', async () => {
    const seats = await givenSeats(api.db);
    const line = lineOf(site.tenant.slug, `${seats.tour.slug} ${seats.date}`, '--party adult=1 --confirm');
    expect(await terminal.json(line)).toMatchObject({ status: 'confirmed' });
  });

  it('with --hold books the tour, the date, the party and the price of the hold', async () => {
    const seats = await givenSeats(api.db, { seats: 2 });
    const { body: hold } = await site.hold(seats.tour, { departure_date: seats.date, quantity: 2 });
    const line = `booking add --hold ${hold.hold_id} --tenant ${site.tenant.slug} ${PERSON}`;
    expect(await terminal.json(line)).toMatchObject({
      tour: seats.tour.slug,
      departure_date: seats.date,
      party: { adult: 2 },
      hold_id: hold.hold_id,
    });
    expect(await seatsTaken(api.db, seats)).toBe(2);
  });

  it('refuses what REST refuses: too few seats, an unknown date, a tour that the tenant does not see', async () => {
    const seats = await givenSeats(api.db, { seats: 1 });
    const { slug } = await givenTenant(api.db, { defaultVisible: false });
    const place = `${seats.tour.slug} ${seats.date}`;
    expect(await terminal.refusal(lineOf(site.tenant.slug, place, '--party adult=2'))).toBe(
      '1 insufficient_seats',
    );
    expect(
      await terminal.refusal(
        lineOf(site.tenant.slug, `${seats.tour.slug} ${daysFromToday(60)}`, '--party adult=1'),
      ),
    ).toBe('1 departure_gone');
    expect(await terminal.refusal(lineOf(slug, place, '--party adult=1'))).toBe('1 tour_not_found');
  });

  it('says how many seats are left, and which boat leaves no more', async () => {
    const seats = await givenSeats(api.db, { seats: 3 });
    const line = lineOf(site.tenant.slug, `${seats.tour.slug} ${seats.date}`, '--party adult=4');
    expect((await terminal.tourctl(line)).stderr).toContain('too few free seats: 3 seats left\n');
    await terminal.json('resource add pinnace --name Pinnace --kind vehicle --places 2');
    await terminal.json(`departure set-uses ${seats.tour.slug} ${seats.date} pinnace`);
    const { stderr } = await terminal.tourctl(line);
    expect(stderr).toContain('too few free seats: 2 seats left, because of the resource pinnace\n');
  });

  it('refuses a sale for a suspended tenant with tenant_inactive', async () => {
    const seats = await givenSeats(api.db);
    const { slug } = await givenTenant(api.db);
    await terminal.json(`tenant suspend ${slug} --yes`);
    const line = lineOf(slug, `${seats.tour.slug} ${seats.date}`, '--party adult=1');
    expect(await terminal.refusal(line)).toBe('1 tenant_inactive');
  });

  it('sells a departure that is closed for websites, and the audit row says late', async () => {
    const seats = await givenSeats(api.db, { closesAt: inMinutes(-1) });
    const place = `${seats.tour.slug} ${seats.date}`;
    expect((await site.book({ tour_id: seats.tour.slug, departure_date: seats.date })).status).toBe(409);
    expect(await terminal.json(lineOf(site.tenant.slug, place, '--party adult=1'))).toMatchObject({
      late: true,
    });
    expect((await lastAudit()).after).toMatchObject({ late: true });
    const { stdout } = await terminal.tourctl(lineOf(site.tenant.slug, place, '--party adult=1'));
    expect(stdout).toContain('The departure was closed for websites already');
  });

  it('refuses a departure that is past', async () => {
    const seats = await givenSeats(api.db, { date: daysFromToday(-2) });
    const line = lineOf(site.tenant.slug, `${seats.tour.slug} ${seats.date}`, '--party adult=1');
    expect(await terminal.refusal(line)).toBe('1 departure_gone');
  });
});

describe('The payment of a sale at the desk', () => {
  it('cash does not expire, and REST shows it but does not accept it', async () => {
    const seats = await givenSeats(api.db);
    const place = `${seats.tour.slug} ${seats.date}`;
    const sold = await terminal.json(
      lineOf(site.tenant.slug, place, '--party adult=1 --payment-method cash'),
    );
    expect(sold).toMatchObject({ payment_method: 'cash', payment_due_at: null });
    const { body } = await site.get(`/api/tenant/bookings/${sold.booking_ref}`);
    expect(body).toMatchObject({ payment_method: 'cash', payment_due_at: null });
    const order = { tour_id: seats.tour.slug, departure_date: seats.date, payment_method: 'cash' };
    expect((await site.book(order)).body).toMatchObject({ status: 400, code: 'validation_failed' });
  });

  it('--pay-by sets until when the booking stands, and none lets it stand', async () => {
    const seats = await givenSeats(api.db);
    const place = `${seats.tour.slug} ${seats.date}`;
    const until = inMinutes(30);
    const sell = (more: string) => terminal.json(lineOf(site.tenant.slug, place, `--party adult=1 ${more}`));
    expect(await sell(`--pay-by ${until}`)).toMatchObject({ payment_due_at: until });
    expect(await sell(`--pay-by ${until} --payment-method cash`)).toMatchObject({ payment_due_at: until });
    expect(await sell('--pay-by none')).toMatchObject({ payment_due_at: null });
  });

  it('refuses a --pay-by in the past', async () => {
    const seats = await givenSeats(api.db);
    const line = lineOf(
      site.tenant.slug,
      `${seats.tour.slug} ${seats.date}`,
      `--party adult=1 --pay-by ${inMinutes(-1)}`,
    );
    expect(await terminal.refusal(line)).toBe('2 pay_by_past');
    expect(await seatsTaken(api.db, seats)).toBe(0);
  });
});

describe('The limits of websites and the desk', () => {
  it('the limits of unpaid bookings and of the share neither bind nor count the bookings of the desk', async () => {
    const shop = await givenWebsite(api, { maxUnpaid: 1, maxHoldShare: 20 });
    const seats = await givenSeats(api.db, { seats: 10 });
    const place = `${seats.tour.slug} ${seats.date}`;
    const sell = () => terminal.tourctl(lineOf(shop.tenant.slug, place, '--party adult=3'));
    expect((await sell()).code).toBe(0);
    expect((await sell()).code).toBe(0);
    const order = { tour_id: seats.tour.slug, departure_date: seats.date };
    expect((await shop.book({ ...order, adults: 2 })).status).toBe(201);
    expect((await shop.book(order)).body.code).toBe('hold_limit_reached');
  });
});

describe('tourctl hold add', () => {
  const line = (slug: string, place: string, more = '') =>
    `hold add ${place} --tenant ${slug} --party adult=2 ${more}`;

  it('holds seats for a caller, with the operator as its actor, and the desk books the hold', async () => {
    const seats = await givenSeats(api.db, { seats: 2 });
    const place = `${seats.tour.slug} ${seats.date}`;
    const hold = await terminal.json(line(site.tenant.slug, place, '--minutes 30 --name Ana'));
    expect(hold).toMatchObject({ tour: seats.tour.slug, quantity: 2, status: 'active', late: false });
    expect(await lastAudit()).toMatchObject({ action: 'hold.add', subject: hold.id });
    expect(await seatsTaken(api.db, seats)).toBe(2);
    const sold = await terminal.json(`booking add --hold ${hold.id} --tenant ${site.tenant.slug} ${PERSON}`);
    expect(sold).toMatchObject({ hold_id: hold.id, party: { adult: 2 }, source: 'desk' });
  });

  it('without a terminal names all missing values at once, with exit 2', async () => {
    const { code, stderr } = await terminal.tourctl('hold add');
    expect(code).toBe(2);
    for (const name of ['--tenant', '<tour>', '<date>', '--party'])
      expect(stderr).toContain(`${name} is missing`);
  });

  it('holds seats of a closed departure for all the minutes, and says so', async () => {
    const seats = await givenSeats(api.db, { closesAt: inMinutes(-1) });
    const hold = await terminal.json(line(site.tenant.slug, `${seats.tour.slug} ${seats.date}`));
    expect(hold).toMatchObject({ late: true, status: 'active' });
    expect(Date.parse(hold.expires_at) - Date.parse(hold.created_at)).toBe(15 * 60_000);
  });

  it('the limits of holds and of the share neither bind nor count the holds of the desk', async () => {
    const shop = await givenWebsite(api, { maxHolds: 1, maxHoldShare: 20 });
    const seats = await givenSeats(api.db, { seats: 10 });
    const place = `${seats.tour.slug} ${seats.date}`;
    const held = line(shop.tenant.slug, place);
    expect((await terminal.tourctl(held)).code).toBe(0);
    expect((await terminal.tourctl(held)).code).toBe(0);
    const wanted = { departure_date: seats.date, quantity: 2 };
    expect((await shop.hold(seats.tour, wanted)).status).toBe(201);
    expect((await shop.hold(seats.tour, wanted)).body.code).toBe('hold_limit_reached');
  });

  it('a booking of a website that consumes a hold of the desk counts against the share', async () => {
    const shop = await givenWebsite(api, { maxHoldShare: 20 });
    const seats = await givenSeats(api.db, { seats: 10 });
    const place = `${seats.tour.slug} ${seats.date}`;
    const hold = await terminal.json(`hold add ${place} --tenant ${shop.tenant.slug} --party adult=3`);
    const order = { tour_id: seats.tour.slug, departure_date: seats.date, hold_id: hold.id, adults: 3 };
    expect((await shop.book(order)).body.code).toBe('hold_limit_reached');
  });

  it('refuses more minutes than the tenant allows', async () => {
    const { slug } = await givenTenant(api.db, { holdMaxMinutes: 20 });
    const seats = await givenSeats(api.db);
    const place = `${seats.tour.slug} ${seats.date}`;
    expect(await terminal.refusal(line(slug, place, '--minutes 30'))).toBe('1 validation_failed');
  });
});
