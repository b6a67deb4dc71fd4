import { useTestApi } from '../support/api';
import { givenSeats, givenWebsite, seatsTakenByKind, useWebsite, type Website } from '../support/website';
import { useTerminalOf } from './terminal';

const api = useTestApi();
const terminal = useTerminalOf(api);
const shop = useWebsite(api);
const sandbox = useWebsite(api, { sandbox: true });

const book = (website: Website, { tour, date }: Awaited<ReturnType<typeof givenSeats>>, adults: number) =>
  website.book({ tour_id: tour.id, departure_date: date, adults });

describe('tourctl tenant', () => {
  it('tourctl tenant can create and show a sandbox tenant, and `tenant set` cannot change the kind of a tenant', async () => {
    const created = await terminal.json('tenant create --slug test-shop --name Test --sandbox');
    expect(created).toMatchObject({ slug: 'test-shop', sandbox: true });
    expect(await terminal.json('tenant show test-shop')).toMatchObject({ sandbox: true });
    expect((await terminal.tourctl('tenant list')).stdout).toMatch(/test-shop .*sandbox/);
    expect(await terminal.json('tenant set test-shop --name Other')).toMatchObject({ sandbox: true });
    expect((await terminal.tourctl('tenant set test-shop --sandbox')).code).toBe(2);
  });

  it('tourctl tenant onboard --sandbox creates a sandbox tenant', async () => {
    const { code, stderr } = await terminal.tourctl('tenant onboard --name Test --slug t2 --sandbox --yes');
    expect(code).toBe(0);
    expect(stderr).toMatch(/T2-TEST-1042 and so on.*tests that take no real seat/);
    expect(await terminal.json('tenant show t2')).toMatchObject({ sandbox: true });
  });
});

describe('commands about a departure', () => {
  it('departure commands count real seats only', async () => {
    const seats = await givenSeats(api.db, { seats: 10 });
    const { tour, date } = seats;
    await book(sandbox, seats, 6);
    const { booking_ref } = (await book(shop, seats, 2)).body;
    await sandbox.hold(tour, { departure_date: date, quantity: 1 });

    const [listed] = (await terminal.json(`departure list ${tour.slug}`)).items;
    expect(listed).toMatchObject({ seats_taken: 2, seats_available: 8 });
    expect((await terminal.tourctl(`departure set-seats ${tour.slug} ${date} 1`)).code).toBe(1);
    const set = await terminal.json(`departure set-seats ${tour.slug} ${date} 2`);
    expect(set).toMatchObject({ seats_total: 2, seats_available: 0, status: 'sold_out' });
    expect(await seatsTakenByKind(api.db, seats)).toEqual({ real: 2, sandbox: 7 });

    const cancelled = await terminal.json(`departure cancel ${tour.slug} ${date} --yes`);
    expect(cancelled).toMatchObject({ booking_refs: [booking_ref], live_holds: 0 });
  });

  it('a sandbox booking can still change after set-seats lowers the seats', async () => {
    const seats = await givenSeats(api.db, { seats: 10 });
    const { tour, date } = seats;
    const { booking_ref } = (await book(sandbox, seats, 6)).body;
    const { hold_id } = (await sandbox.hold(tour, { departure_date: date, quantity: 2 })).body;
    await terminal.json(`departure set-seats ${tour.slug} ${date} 1`);
    const free = await sandbox.get(`/api/gateway/tours/${tour.slug}/availability?departure_date=${date}`);
    expect(free.body).toMatchObject({ status: 'sold_out', seats_available: 0 });
    const extended = await sandbox.post(`/api/gateway/holds/${hold_id}/extend`, { hold_minutes: 30 });
    expect([extended.status, extended.body.seats_available]).toEqual([200, 0]);
    expect((await sandbox.post(`/api/tenant/bookings/${booking_ref}/confirm`)).status).toBe(200);
    expect((await terminal.tourctl(`booking anonymize ${booking_ref} --yes`)).code).toBe(0);
    expect((await book(shop, seats, 1)).status).toBe(201);
  });

  it('tourctl departure cancel informs a sandbox tenant too, and counts only real tenants', async () => {
    const seats = await givenSeats(api.db);
    const { tour, date } = seats;
    const tester = await givenWebsite(api, { sandbox: true });
    const event = '--event departure.cancelled';
    await terminal.json(`webhook add ${tester.tenant.slug} https://test.example/hooks ${event}`);
    const { booking_ref } = (await book(tester, seats, 1)).body;
    const { stdout } = await terminal.tourctl(`departure cancel ${tour.slug} ${date} --yes`);
    expect(stdout).toContain('0 tenants are informed');
    const [sent] = await api
      .db('webhook_events')
      .where({ tenant_id: tester.tenant.id, type: 'departure.cancelled' });
    expect(JSON.stringify(sent)).toContain(booking_ref);
  });
});

describe('tourctl doctor', () => {
  it('tourctl doctor recounts real seats only', async () => {
    const seats = await givenSeats(api.db, { seats: 8 });
    await book(sandbox, seats, 8);
    await terminal.json(`departure set-seats ${seats.tour.slug} ${seats.date} 1`);
    const { checks } = await terminal.json('doctor');
    const { status } = checks.find(({ name }: { name: string }) => name === 'seats');
    expect(status).toBe('ok');
  });
});

describe('statistics and refusals', () => {
  it('tourctl booking stats and booking refusals omit sandbox tenants, except with --sandbox or for a named tenant', async () => {
    const seats = await givenSeats(api.db, { seats: 2 });
    const tester = await givenWebsite(api, { sandbox: true });
    const before = await terminal.json('booking stats');
    await book(tester, seats, 2);
    await tester.hold(seats.tour, { departure_date: seats.date, quantity: 1 });
    await api.context.refusals.write(api.db);
    const after = await terminal.json('booking stats');
    expect([after.sandbox, after.together]).toEqual([false, before.together]);
    const own = await terminal.json(`booking stats ${tester.tenant.slug}`);
    expect(own).toMatchObject({ sandbox: true, together: { bookings: 1, adults: 2, sold_out: 1 } });
    const asked = await terminal.json('booking stats --sandbox');
    expect(asked).toMatchObject({ tenant: null, sandbox: true });
    expect(asked.together.sold_out).toBeGreaterThanOrEqual(1);

    const tenantsOf = async (flags: string) =>
      (await terminal.json(`booking refusals ${flags}`)).items.map(
        ({ tenant }: { tenant: string }) => tenant,
      );
    expect(await tenantsOf('')).not.toContain(tester.tenant.slug);
    expect(await tenantsOf('--sandbox')).toContain(tester.tenant.slug);
    expect(await tenantsOf(`--tenant ${tester.tenant.slug}`)).toEqual([tester.tenant.slug]);
  });
});
