import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenTenant } from '../support/given';
import { givenSeats, type Seats, useWebsite } from '../support/website';
import { useTerminalOf } from './terminal';

const api = useTestApi();
const terminal = useTerminalOf(api);
const site = useWebsite(api, { depositPercent: '20' });
let seats: Seats;
beforeAll(async () => {
  seats = await givenSeats(api.db, { seats: 100, prices: { adult: 50_000 } });
});

/** Returns the line of a sale of one adult. The website's tenant sells. */
const sale = (more: string) =>
  `booking add ${seats.tour.slug} ${seats.date} --tenant ${site.tenant.slug} --party adult=1 --name Ana --phone +4930901820 ${more}`;

/** Sells one adult by REST. @returns the answer */
const book = async (body: object = {}) =>
  (await site.book({ tour_id: seats.tour.slug, departure_date: seats.date, ...body })).body;

const read = async (ref: string) => (await site.get(`/api/tenant/bookings/${ref}`)).body;

const lastAudit = () => api.db('audit_log').orderBy('id', 'desc').first();

describe('tourctl booking add --adjust', () => {
  it('adds a line to the price: the total and the deposit follow it, and REST and the terminal answer it', async () => {
    const adjustment = { amount: -20, reason: 'Late' };
    const sold = await terminal.json(sale('--adjust -20 --reason Late'));
    const figures = { total_price: 480, deposit_total: 96, adjustment };
    expect(sold).toMatchObject(figures);
    expect(await read(sold.booking_ref)).toMatchObject(figures);
    expect(await terminal.json(`booking show ${sold.booking_ref}`)).toMatchObject(figures);
  });

  it('keeps the reason out of the audit row', async () => {
    await terminal.json(sale('--adjust -1.50 --reason Mother-of-Ana'));
    const { after } = await lastAudit();
    expect(after).toMatchObject({ adjustment: { amount: -1.5 } });
    expect(JSON.stringify(after)).not.toContain('Mother');
  });

  it('a booking without an adjustment has null, and so has one with --adjust 0', async () => {
    expect((await book()).adjustment).toBeNull();
    expect((await terminal.json(sale('--adjust 0'))).adjustment).toBeNull();
  });

  it('may raise the price', async () => {
    expect(await terminal.json(sale('--adjust +15 --reason Pick-up'))).toMatchObject({ total_price: 515 });
  });

  it('may bring the total to 0, but not below', async () => {
    expect(await terminal.json(sale('--adjust -500 --reason Gift'))).toMatchObject({ total_price: 0 });
    const { code, error } = await terminal.tourctl(`${sale('--adjust -500.01 --reason Gift')} --json`);
    expect([code, error.code]).toEqual([1, 'booking_state_conflict']);
    expect(error.message).toContain('an adjustment of -500.01 EUR');
  });

  it.each([
    ['--adjust -20', 2, 'usage_error', '--reason is missing'],
    ['--reason Late', 2, 'usage_error', '--reason is the reason of --adjust'],
    [`--adjust -20 --reason ${'x'.repeat(201)}`, 2, 'usage_error', '--reason'],
    ['--adjust twenty --reason Late', 2, 'usage_error', '--adjust'],
    ['--adjust -20.005 --reason Late', 1, 'validation_failed', 'at most 2 decimals'],
  ])('refuses %s', async (flags, exit, name, message) => {
    const { code, error } = await terminal.tourctl(`${sale(flags)} --json`);
    expect([code, error.code]).toEqual([exit, name]);
    expect(error.message).toContain(message);
  });
});

describe('tourctl booking change --adjust', () => {
  it('writes, replaces and takes away the line of a booking of a website, with one event each', async () => {
    await terminal.json(`webhook add ${site.tenant.slug} https://acme.example/hook --event booking.updated`);
    const { booking_ref: ref } = await book();
    const change = (flags: string) => terminal.json(`booking change ${ref} ${flags}`);
    expect(await change('--adjust -20 --reason Late')).toMatchObject({ total_price: 480, deposit_total: 96 });
    expect(await change('--adjust 30 --reason Pick-up')).toMatchObject({
      total_price: 530,
      adjustment: { amount: 30, reason: 'Pick-up' },
    });
    expect(await change('--adjust 0')).toMatchObject({ total_price: 500, adjustment: null });
    const events = await api.db('webhook_events').where({ booking_ref: ref, type: 'booking.updated' });
    expect(events.map(({ body }) => JSON.parse(body).total_price).sort()).toEqual([480, 500, 530]);
  });

  it('the history says from which amount to which, and keeps no reason', async () => {
    const { booking_ref: ref } = await book();
    await terminal.json(`booking change ${ref} --adjust -20 --reason Late`);
    const { history } = await terminal.json(`booking show ${ref}`);
    expect(history[1].detail).toContain('adjustment from none to -20');
    expect(JSON.stringify(await api.db('booking_changes').orderBy('at', 'desc').first())).not.toContain(
      'Late',
    );
  });

  it('a change of the reason alone is a change', async () => {
    const { booking_ref: ref } = await book();
    await terminal.json(`booking change ${ref} --adjust -20 --reason Late`);
    expect(await terminal.json(`booking change ${ref} --adjust -20 --reason Early`)).toMatchObject({
      adjustment: { amount: -20, reason: 'Early' },
    });
    const { stderr } = await terminal.tourctl(`booking change ${ref} --adjust -20 --reason Early`);
    expect(stderr).toContain('nothing was changed');
  });

  it('the line stays when the party or the date changes', async () => {
    const other = await givenDeparture(api.db, seats.tour, {
      date: daysFromToday(40),
      prices: { adult: 60_000 },
    });
    const { booking_ref: ref } = await book();
    await terminal.json(`booking change ${ref} --adjust -20 --reason Late`);
    const changed = await site.patch(`/api/tenant/bookings/${ref}`, { adults: 2 });
    expect(changed.body).toMatchObject({ total_price: 980, adjustment: { amount: -20, reason: 'Late' } });
    const moved = await site.patch(`/api/tenant/bookings/${ref}`, {
      departure_date: other,
      expected_total: 1_180,
    });
    expect(moved.body).toMatchObject({ total_price: 1_180, adjustment: { amount: -20 } });
  });

  it('REST refuses a change whose total would be below 0 with 409, and names the line', async () => {
    const { booking_ref: ref } = await book({ adults: 2 });
    await terminal.json(`booking change ${ref} --adjust -600 --reason Gift`);
    const { status, body } = await site.patch(`/api/tenant/bookings/${ref}`, { adults: 1 });
    expect([status, body.code]).toEqual([409, 'booking_state_conflict']);
    expect(body.detail).toContain('an adjustment of -600.00 EUR');
  });

  it('REST cannot set the line', async () => {
    const { booking_ref: ref } = await book();
    const adjustment = { amount: -20, reason: 'Late' };
    expect((await site.patch(`/api/tenant/bookings/${ref}`, { adjustment })).status).toBe(400);
    expect((await book({ adjustment })).status).toBe(400);
    expect((await book({ source: 'desk' })).status).toBe(400);
  });

  it('refunds all that it takes from a confirmed booking, and a cancellation refunds a share of the total', async () => {
    const { booking_ref: ref } = await book();
    await terminal.json(`booking confirm ${ref}`);
    expect(await terminal.json(`booking change ${ref} --adjust -20 --reason Late`)).toMatchObject({
      total_price: 480,
      reduction: { amount: 20, refund_percent: 100, refund_amount: 20 },
    });
    expect(await terminal.json(`booking cancel ${ref} --refund-percent 50 --yes`)).toMatchObject({
      refund: { percent: 50, amount: 240 },
    });
  });

  it('refuses a cancelled booking, an erased one, and a change of the party with it', async () => {
    const { booking_ref: ref } = await book();
    expect(await terminal.refusal(`booking change ${ref} --adjust -20 --reason Late --adults 2`)).toBe(
      '2 usage_error',
    );
    await terminal.json(`booking cancel ${ref} --yes`);
    expect(await terminal.refusal(`booking change ${ref} --adjust -20 --reason Late`)).toBe(
      '1 booking_state_conflict',
    );
    const { booking_ref: erased } = await book();
    await terminal.json(`booking anonymize ${erased} --force --yes`);
    expect(await terminal.refusal(`booking change ${erased} --adjust -20 --reason Late`)).toBe(
      '1 booking_state_conflict',
    );
  });

  it('an erasure clears the reason and keeps the amount', async () => {
    const { booking_ref: ref } = await terminal.json(sale('--adjust -20 --reason Mother-of-Ana'));
    await terminal.json(`booking anonymize ${ref} --force --yes`);
    expect((await read(ref)).adjustment).toEqual({ amount: -20, reason: null });
    expect(await terminal.json(`booking show ${ref}`)).toMatchObject({
      total_price: 480,
      adjustment: { amount: -20, reason: null },
    });
  });
});

describe('The adjustment in reports and lists', () => {
  it('report sales counts it in tenant_total and not in platform_total, and can tell the desk from websites', async () => {
    const { slug } = await givenTenant(api.db);
    await terminal.json(sale('--adjust -20 --reason Late').replace(site.tenant.slug, slug));
    const [from, to] = [daysFromToday(-1), daysFromToday(1)];
    const { rows } = await terminal.json(
      `report sales --from ${from} --to ${to} --tenant ${slug} --by source`,
    );
    expect(rows).toMatchObject([{ source: 'desk', platform_total: 500, tenant_total: 480 }]);
  });

  it('report adjustments lists the bookings that were created in a period', async () => {
    const { slug } = await givenTenant(api.db);
    const { booking_ref: ref } = await terminal.json(
      sale('--adjust -20 --reason Late').replace(site.tenant.slug, slug),
    );
    const period = `--from ${daysFromToday(-1)} --to ${daysFromToday(1)} --tenant ${slug}`;
    const { rows } = await terminal.json(`report adjustments ${period}`);
    expect(rows).toMatchObject([
      { booking_ref: ref, tenant: slug, currency: 'EUR', amount: -20, reason: 'Late', total_price: 480 },
    ]);
    const { stdout } = await terminal.tourctl(`report adjustments ${period} --csv`);
    expect(stdout.split('\n')[1]).toContain(`${ref},${slug}`);
  });

  it('the manifest and the export have it', async () => {
    const { booking_ref: ref } = await terminal.json(sale('--adjust -20 --reason Late'));
    const { bookings } = await terminal.json(`departure manifest ${seats.tour.slug} ${seats.date}`);
    expect(bookings.find((one: { booking_ref: string }) => one.booking_ref === ref)).toMatchObject({
      source: 'desk',
      total_price: 480,
      adjustment: { amount: -20, reason: '…' },
    });
    const { stdout } = await terminal.tourctl(`booking export --tour ${seats.tour.slug} --reveal`);
    expect(stdout).toMatch(new RegExp(`${ref}.*480.*desk,-20,Late`));
  });
});
