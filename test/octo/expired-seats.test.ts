import { useTerminalOf } from '../cli/terminal';
import { useTestApi } from '../support/api';
import { sweep } from '../support/sweep';
import { endHoldIn, endPaymentWindow, givenWebsite } from '../support/website';
import { type ConformanceDeparture, holdIdOf, reservationOf, useConformance } from './conformance-api';

const api = useTestApi();
const terminal = useTerminalOf(api);
const { reseller, tours } = useConformance(api);

const SUBSCRIPTION = {
  url: 'https://reseller.example.com/octo',
  notificationTypes: ['AVAILABILITY_UPDATE'],
};

beforeAll(async () => {
  expect((await reseller.post('/octo/notifications/subscriptions', SUBSCRIPTION)).status).toBe(200);
});

/** Books a departure by REST, and ends the time in which the booking can be paid. Forgets the notifications so far. */
async function unpaidBooking({ date }: ConformanceDeparture): Promise<string> {
  const { body } = await reseller.book({ tour_id: tours.openingHours.id, departure_date: date, adults: 1 });
  await endPaymentWindow(api.db, body.booking_ref);
  await forgetNotifications();
  return body.booking_ref;
}

async function forgetNotifications(): Promise<void> {
  await api.seats.notify(api.context.db);
  await api.db('webhook_queue').delete();
  await api.db('webhook_deliveries').delete();
  await api.db('webhook_events').delete();
}

const notified = async () =>
  (await api.db('webhook_events').where({ type: 'octo.availability_update' })).map(({ body }) =>
    JSON.parse(body as string),
  );
const updateOf = ({ date }: ConformanceDeparture) => ({
  productId: tours.openingHours.id,
  optionId: 'DEFAULT',
  localDateStart: date,
  localDateEnd: date,
});

describe('seats of an unpaid booking that are free again', () => {
  it('tourctl booking expire notifies the subscribers of OCTO of the dates whose seats it frees', async () => {
    const [departure] = tours.openingHours.open;
    const ref = await unpaidBooking(departure!);
    await terminal.json('booking expire --dry-run');
    expect(await notified()).toEqual([]);
    const { items } = await terminal.json('booking expire');
    expect(items).toEqual([expect.objectContaining({ booking_ref: ref })]);
    expect(await notified()).toEqual([updateOf(departure!)]);
    await terminal.json('booking expire');
    expect(await notified()).toHaveLength(1);
  });

  it('the sweeper notifies them in the same way', async () => {
    const [, departure] = tours.openingHours.open;
    await unpaidBooking(departure!);
    await sweep(api.context.db, api.context.changes.afterCommit);
    await api.seats.notify(api.context.db);
    expect(await notified()).toEqual([updateOf(departure!)]);
  });

  it('a confirmation that comes too late notifies them in the same way', async () => {
    const [, , departure] = tours.openingHours.open;
    const more = { availabilityId: departure!.id };
    const { body: held } = await reseller.post('/octo/bookings', reservationOf(tours.openingHours, more));
    await forgetNotifications();
    await endHoldIn(api.db, await holdIdOf(api, held.uuid), -1);
    expect((await reseller.post(`/octo/bookings/${held.uuid}/confirm`, {})).status).toBe(400);
    await sweep(api.context.db, api.context.changes.afterCommit);
    await api.seats.notify(api.context.db);
    expect(await notified()).toEqual([updateOf(departure!)]);
  });

  it('a sale of the sandbox on the departure notifies them in the same way', async () => {
    const [departure] = tours.openingHours.open;
    await unpaidBooking(departure!);
    const tester = await givenWebsite(api, { sandbox: true });
    const wanted = { departure_date: departure!.date, quantity: 1 };
    expect((await tester.hold(tours.openingHours.id, wanted)).status).toBe(201);
    await api.seats.notify(api.context.db);
    expect(await notified()).toEqual([updateOf(departure!)]);
  });

  it('tourctl booking expire notifies of no date for a booking without a date', async () => {
    const { body } = await reseller.book({ tour_id: tours.openingHours.id, adults: 1 });
    await endPaymentWindow(api.db, body.booking_ref);
    const before = (await notified()).length;
    const { items } = await terminal.json('booking expire');
    expect(items).toEqual([expect.objectContaining({ booking_ref: body.booking_ref })]);
    expect(await notified()).toHaveLength(before);
  });
});
