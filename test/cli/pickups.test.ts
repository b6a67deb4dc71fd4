import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenTour } from '../support/given';
import { expectInvalidFields, expectProblem } from '../support/responses';
import { type Seats, useWebsite } from '../support/website';
import { useTerminalOf } from './terminal';

const api = useTestApi();
const terminal = useTerminalOf(api);
const site = useWebsite(api);
const tourctl = async (words: string[]) => (await terminal.tourctl([...words, '--json'])).json;

const ZONE = 'Europe/Berlin';

beforeAll(async () => {
  await tourctl(['pickup', 'add', 'station', '--name', 'Central station', '--address', 'Europaplatz 1']);
  await tourctl(['pickup', 'add', 'hotel', '--name', 'Grand Hotel', '--directions', 'At the fountain.']);
});

interface Fetching {
  required?: boolean;
  until?: 'booking' | 'confirm';
  elsewhere?: boolean;
  start?: string | null;
  date?: string;
}

async function givenCityTour({
  required = false,
  until = 'confirm',
  elsewhere = false,
  start = '09:30',
  date,
}: Fetching = {}): Promise<Seats> {
  const tour = await givenTour(api.db);
  const points = [
    { point: 'station', minutes_before: 30 },
    { point: 'hotel', minutes_before: 600 },
  ];
  await api
    .db('tours')
    .where({ id: tour.id })
    .update({
      pickup: JSON.stringify({ required, until, elsewhere, points }),
      start_time: start,
      time_zone: ZONE,
    });
  return { tour, date: await givenDeparture(api.db, tour, { seats: 60, date: date ?? daysFromToday(20) }) };
}

const book = ({ tour, date }: Seats, body: object = {}) =>
  site.book({ tour_id: tour.id, departure_date: date, ...body });
const patch = (ref: string, body: object) => site.patch(`/api/tenant/bookings/${ref}`, body);
const pickupOf = async (ref: string) => (await site.get(`/api/tenant/bookings/${ref}`)).body.pickup;

describe('the pickup of a tour', () => {
  it('lists its points with their times before the start time of the tour', async () => {
    const { tour } = await givenCityTour({ elsewhere: true });
    const { body } = await site.get(`/api/tenant/tours/${tour.slug}`);
    expect(body.pickup).toEqual({
      required: false,
      until: 'confirm',
      elsewhere: true,
      points: [
        {
          point: 'station',
          name: 'Central station',
          address: 'Europaplatz 1',
          lat: null,
          lng: null,
          directions: null,
          google_place_id: null,
          minutes_before: 30,
          time: '09:00',
        },
        expect.objectContaining({ point: 'hotel', directions: 'At the fountain.', time: '23:30' }),
      ],
    });
  });
});

describe('the pickup of a booking', () => {
  it('is a point with its time, also on the day before the departure, and keeps its words when the list changes', async () => {
    const summer = await givenCityTour({ date: '2031-07-10' });
    const made = await book(summer, { pickup: { point: 'hotel' } });
    const pickup = {
      point: 'hotel',
      name: 'Grand Hotel',
      address: null,
      directions: 'At the fountain.',
      time: '23:30',
      at: '2031-07-09T21:30:00.000Z',
    };
    expect(made.body.pickup).toEqual(pickup);
    await tourctl(['pickup', 'set', 'hotel', '--name', 'Palace']);
    expect(await pickupOf(made.body.booking_ref)).toEqual(pickup);
    await tourctl(['pickup', 'set', 'hotel', '--name', 'Grand Hotel']);
    expect(await terminal.refusal('pickup remove hotel --yes')).toBe('1 pickup_point_in_use');
  });

  it('follows a change of the date, over a change to daylight saving time', async () => {
    const seats = await givenCityTour({ date: '2031-03-29' });
    const later = await givenDeparture(api.db, seats.tour, { seats: 5, date: '2031-03-30' });
    const made = await book(seats, { pickup: { point: 'hotel' } });
    expect(made.body.pickup).toMatchObject({ time: '23:30', at: '2031-03-28T22:30:00.000Z' });
    const moved = await patch(made.body.booking_ref, { departure_date: later });
    // The clocks skip an hour in that night, so 600 minutes before 09:30 are 22:30.
    expect(moved.body.pickup).toMatchObject({ time: '22:30', at: '2031-03-29T21:30:00.000Z' });
  });

  it('is refused where the tour does not offer it, and where it is missing and due', async () => {
    const seats = await givenCityTour({ required: true, until: 'booking' });
    expectInvalidFields(await book(seats), ['pickup']);
    expectInvalidFields(await book(seats, { pickup: { point: 'harbour' } }), ['pickup.point']);
    expectInvalidFields(await book(seats, { pickup: { place: 'Hotel Adlon' } }), ['pickup.place']);
    expectInvalidFields(await book(seats, { pickup: {} }), ['pickup']);
    const { body } = await book(seats, { pickup: { point: 'station' } });
    expectInvalidFields(await patch(body.booking_ref, { pickup: null }), ['pickup']);
    const silent = { tour: await givenTour(api.db), date: '' };
    silent.date = await givenDeparture(api.db, silent.tour, {});
    expectInvalidFields(await book(silent, { pickup: { point: 'station' } }), ['pickup']);
    const plain = await book(silent);
    expect(plain.body.pickup).toBeNull();
    expectInvalidFields(await patch(plain.body.booking_ref, { pickup: { point: 'station' } }), ['pickup']);
  });

  it('is a place of the guest without a time, which null clears, and a required one is missing at the confirmation', async () => {
    const seats = await givenCityTour({ required: true, elsewhere: true });
    const made = await book(seats, { pickup: { place: 'Hotel Adlon' } });
    expect(made.body.pickup).toEqual({
      point: null,
      name: 'Hotel Adlon',
      address: null,
      directions: null,
      time: null,
      at: null,
    });
    const cleared = await patch(made.body.booking_ref, { pickup: null });
    expect(cleared.body.pickup).toBeNull();
    const refused = await site.post(`/api/tenant/bookings/${made.body.booking_ref}/confirm`);
    expectProblem(refused, 409, 'answers_missing');
    expect(refused.body.missing).toEqual([{ code: 'pickup', traveller: null }]);
  });
});

describe('pickups at the desk', () => {
  it('booking change --pickup-time sets the time until the start changes', async () => {
    const seats = await givenCityTour({ date: '2031-07-10', elsewhere: true });
    const later = await givenDeparture(api.db, seats.tour, { seats: 5, date: '2031-07-11' });
    const { body } = await book(seats, { pickup: { place: 'Hotel Adlon' } });
    const ref = body.booking_ref;
    await terminal.json(`booking change ${ref} --pickup-time 08:15`);
    expect(await pickupOf(ref)).toMatchObject({ time: '08:15', at: '2031-07-10T06:15:00.000Z' });
    await terminal.json(`booking change ${ref} --pickup-time 2031-07-09T23:45`);
    expect(await pickupOf(ref)).toMatchObject({ time: '23:45', at: '2031-07-09T21:45:00.000Z' });
    await terminal.json(`booking change ${ref} --date ${later}`);
    expect(await pickupOf(ref)).toMatchObject({ time: null, at: null });
    await terminal.json(`booking change ${ref} --pickup station`);
    expect(await pickupOf(ref)).toMatchObject({ point: 'station', time: '09:00' });
  });

  it('booking add takes a point; set-pickup changes the time of all bookings of a stop, and booking.updated follows', async () => {
    const seats = await givenCityTour();
    const { booking_ref: ref } = await terminal.json(
      `booking add ${seats.tour.slug} ${seats.date} --tenant ${site.tenant.slug} --party adult=2 --name Ana --phone +4930901820 --pickup station`,
    );
    const other = (await book(seats, { pickup: { point: 'hotel' } })).body.booking_ref;
    const { updated_at: before } = (await site.get(`/api/tenant/bookings/${ref}`)).body;
    const answer = await terminal.json(`departure set-pickup ${seats.tour.slug} ${seats.date} station 08:50`);
    expect(answer.bookings).toEqual([ref]);
    expect(await pickupOf(ref)).toMatchObject({ point: 'station', time: '08:50' });
    expect(await pickupOf(other)).toMatchObject({ time: '23:30' });
    expect((await site.get(`/api/tenant/bookings/${ref}`)).body.updated_at > before).toBe(true);
    const { history } = await terminal.json(`booking show ${ref}`);
    expect(history.at(-1)).toMatchObject({ event: 'changed' });
  });

  it('a pickup time that the clocks skip on its date is refused, and the time stays', async () => {
    const seats = await givenCityTour({ date: '2031-03-30', start: '03:00' });
    const ref = (await book(seats, { pickup: { point: 'station' } })).body.booking_ref;
    const before = await pickupOf(ref);
    expect(before).toMatchObject({ time: '01:30', at: '2031-03-30T00:30:00.000Z' });
    const setPickup = `departure set-pickup ${seats.tour.slug} ${seats.date} station`;
    for (const line of [
      `booking change ${ref} --pickup-time 02:30`,
      `booking change ${ref} --pickup-time 2031-03-30T02:59`,
      `${setPickup} 02:15`,
    ]) {
      const { code, error } = await terminal.tourctl(`${line} --json`);
      expect([code, error.code]).toEqual([1, 'pickup_time_skipped']);
      expect(error.message).toContain('clocks in Europe/Berlin do not show 02:');
    }
    expect(await pickupOf(ref)).toEqual(before);
    await terminal.json(`${setPickup} 2031-03-29T02:30`);
    expect(await pickupOf(ref)).toMatchObject({ time: '02:30', at: '2031-03-29T01:30:00.000Z' });
  });

  it('departure manifest --by pickup lists the stops by time with their people, then who comes alone', async () => {
    const seats = await givenCityTour({ elsewhere: true });
    const at = async (body: object) => (await book(seats, body)).body.booking_ref as string;
    const alone = await at({});
    const first = await at({ adults: 2, pickup: { point: 'station' } });
    const place = await at({ pickup: { place: 'Hotel Adlon' } });
    const second = await at({ adults: 3, pickup: { point: 'station' } });
    const before = await at({ pickup: { point: 'hotel' } });
    const line = `departure manifest ${seats.tour.slug} ${seats.date} --by pickup`;
    const { stops, alone: rest } = await terminal.json(`${line} --reveal`);
    expect(
      stops.map(
        (stop: { name: string; time: string; people: number; bookings: { booking_ref: string }[] }) => [
          stop.time,
          stop.name,
          stop.people,
          stop.bookings.map(({ booking_ref: ref }) => ref),
        ],
      ),
    ).toEqual([
      ['23:30', 'Grand Hotel', 1, [before]],
      ['09:00', 'Central station', 5, [first, second]],
      [null, 'Hotel Adlon', 1, [place]],
    ]);
    expect([rest.people, rest.bookings[0].booking_ref]).toEqual([1, alone]);
    const { stdout } = await terminal.tourctl(line);
    expect(stdout).toContain('09:00 Central station, Europaplatz 1: 5 people');
    expect(stdout).not.toContain('Adlon');
  });

  it('the place of a guest is masked, and an erasure removes it', async () => {
    const seats = await givenCityTour({ elsewhere: true });
    const ref = (await book(seats, { pickup: { place: 'Hotel Zyxwv' } })).body.booking_ref;
    expect((await terminal.json(`booking show ${ref}`)).pickup.name).toBe('…');
    await terminal.json(`booking anonymize ${ref} --yes --force`);
    expect(await pickupOf(ref)).toBeNull();
    expect(JSON.stringify(await api.db('booking_answers'))).not.toContain('Zyxwv');
  });
});
