import supertest from 'supertest';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { givenDeparture, givenKey, givenTenant, givenTour, type GivenTour, todayIn } from '../support/given';

const ZONES = ['Asia/Ho_Chi_Minh', 'Pacific/Pago_Pago'] as const;
/** Lists dates that code with Date objects can move by a day: a month's end, a leap day, a change of the clocks. */
const DATES = ['2027-03-28', '2027-10-31', '2027-12-31', '2028-01-01', '2028-02-29'];

let database: TestDatabase;
let processes: ApiProcess[];
let tour: GivenTour;
let authorization: string;
beforeAll(async () => {
  database = await createTestDatabase();
  processes = await Promise.all(ZONES.map((TZ) => startApiProcess(database.url, { TZ })));
  tour = await givenTour(database.db, { timeZone: 'Europe/Berlin' });
  for (const date of DATES) await givenDeparture(database.db, tour, { date });
  await database.db('departures').update({ return_date: database.db.raw('departure_date + 1') });
  authorization = `Bearer ${await givenKey(database.db, await givenTenant(database.db))}`;
});
afterAll(async () => {
  for (const running of processes) await running.stop();
  await database.drop();
});

describe.each(ZONES)('an API process with TZ=%s', (zone) => {
  const http = () => supertest(processes[ZONES.indexOf(zone)]!.baseUrl);
  const get = async (path: string) => (await http().get(path).set({ authorization }).expect(200)).body;

  it('the API returns every date as it was written', async () => {
    const catalog: (GivenTour & { next_departure_date: string })[] = (await get('/api/tenant/catalog')).items;
    expect(catalog.find(({ id }) => id === tour.id)!.next_departure_date).toBe(DATES[0]);
    expect((await get(`/api/tenant/tours/${tour.slug}`)).next_departure_date).toBe(DATES[0]);
    const { items } = await get(`/api/tenant/tours/${tour.slug}/departures`);
    expect(items.map((item: { departure_date: string }) => item.departure_date)).toEqual(DATES);
    expect(items[2].return_date).toBe('2028-01-01');
    const window = await get(`/api/tenant/tours/${tour.slug}/departures?from=2027-12-31&to=2028-01-01`);
    expect(window.items).toHaveLength(2);
    for (const date of DATES) {
      const answer = await get(`/api/gateway/tours/${tour.slug}/availability?departure_date=${date}`);
      expect(answer).toMatchObject({ departure_date: date, status: 'available' });
    }
  });

  it("the API decides by the tour's time zone whether a departure is gone", async () => {
    for (const timeZone of ['Pacific/Kiritimati', ...ZONES]) {
      const there = await givenTour(database.db, { timeZone });
      const today = await givenDeparture(database.db, there, { date: todayIn(timeZone) });
      const answer = await get(`/api/gateway/tours/${there.slug}/availability?departure_date=${today}`);
      expect(answer).toMatchObject({ departure_date: today, status: 'available' });
      expect((await get(`/api/tenant/tours/${there.slug}/departures`)).items).toHaveLength(1);
    }
  });

  it('the API holds and books the requested date, and writes times in UTC', async () => {
    const departure_date = '2028-02-29';
    const placed = { departure_date, quantity: 1 };
    const begun = Date.now();
    const hold = await http()
      .post(`/api/gateway/tours/${tour.slug}/hold`)
      .set({ authorization })
      .send(placed)
      .expect(201);
    expect(hold.body).toMatchObject({ departure_date, expires_at: expect.stringMatching(/Z$/) });
    const life = Date.parse(hold.body.expires_at) - begun;
    expect(Math.abs(life - 15 * 60_000)).toBeLessThan(30_000);
    const lead = {
      tour_id: tour.slug,
      hold_id: hold.body.hold_id,
      name: 'Ana',
      phone: '030901820',
      email: 'a@example.com',
    };
    const booking = await http().post('/api/tenant/bookings').set({ authorization }).send(lead).expect(201);
    expect(booking.body).toMatchObject({ departure_date, payment_due_at: expect.stringMatching(/Z$/) });
    const { items } = await get(`/api/tenant/bookings?status=pending_payment`);
    expect(items[0].departure_date).toBe(departure_date);
    const event = await database
      .db('webhook_events')
      .where({ booking_ref: booking.body.booking_ref })
      .first();
    expect(JSON.stringify(event)).toContain(departure_date);
  });
});
