import { useTestApi } from '../support/api';
import { CUSTOMER, givenSeats, type PlacedSeats, useWebsite } from '../support/website';
import { useTerminalOf } from './terminal';

const api = useTestApi();
const terminal = useTerminalOf(api);
const site = useWebsite(api);

const bookingPath = (ref: string) => `/api/tenant/bookings/${ref}`;
const book = async ({ tour, date }: PlacedSeats): Promise<string> =>
  (await site.book({ tour_id: tour.slug, departure_date: date })).body.booking_ref;
const erase = (ref: string) => terminal.json(`booking anonymize ${ref} --yes`);

async function erasedBooking(): Promise<string> {
  const ref = await book(await givenSeats(api.db));
  await erase(ref);
  return ref;
}

/** Reserves and confirms a booking by OCTO, and erases its customer. */
async function erasedOctoBooking(): Promise<{ uuid: string; ref: string }> {
  const { tour, departureId } = await givenSeats(api.db);
  const reserved = await site.post('/octo/bookings', {
    productId: tour.id,
    optionId: 'DEFAULT',
    availabilityId: departureId,
    unitItems: [{ unitId: 'adult' }],
    contact: { fullName: CUSTOMER.name },
  });
  const { uuid } = reserved.body;
  const { body } = await site.post(`/octo/bookings/${uuid}/confirm`, {});
  await erase(body.supplierReference);
  return { uuid, ref: body.supplierReference };
}

describe('An erased booking', () => {
  it('an erased booking is cancelled with a reason, which is not stored, because it may name the customer', async () => {
    const ref = await erasedBooking();
    const { status, body } = await site.post(`${bookingPath(ref)}/cancel`, { reason: 'Ana is ill' });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { status: 'cancelled', cancel_reason: null },
    });
  });

  it('an erased booking is cancelled at the terminal with a reason', async () => {
    const ref = await erasedBooking();
    const { code, json } = await terminal.tourctl([
      'booking',
      'cancel',
      ref,
      '--reason',
      'Ana is ill',
      '--yes',
      '--json',
    ]);
    expect({ code, json }).toMatchObject({ code: 0, json: { status: 'cancelled' } });
  });

  it('an erased booking of OCTO is cancelled with a reason', async () => {
    const { uuid } = await erasedOctoBooking();
    const { status, body } = await site.post(`/octo/bookings/${uuid}/cancel`, { reason: 'Ana is ill' });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { status: 'CANCELLED', cancellation: { reason: null } },
    });
  });

  it('tourctl departure cancel --cancel-bookings --reason cancels erased bookings with the others', async () => {
    const seats = await givenSeats(api.db);
    const [erased, other] = [await book(seats), await book(seats)];
    await erase(erased);
    const { code } = await terminal.tourctl(
      `departure cancel ${seats.tour.slug} ${seats.date} --cancel-bookings --reason storm --yes --json`,
    );
    const [first, second] = [await site.get(bookingPath(erased)), await site.get(bookingPath(other))];
    expect({ code, first: first.body, second: second.body }).toMatchObject({
      code: 0,
      first: { status: 'cancelled', cancel_reason: null },
      second: { status: 'cancelled', cancel_reason: 'storm' },
    });
  });

  it('an erased booking is confirmed, moved and reduced, and refuses new personal data with 409', async () => {
    const ref = await erasedBooking();
    const answers = [
      await site.post(`${bookingPath(ref)}/confirm`),
      await site.patch(bookingPath(ref), { adults: 2 }),
      await site.patch(bookingPath(ref), { adults: 1 }),
      await site.patch(bookingPath(ref), { name: 'Ana Lima' }),
      await site.patch(bookingPath(ref), { notes: 'Vegetarian' }),
      await site.patch(bookingPath(ref), { travellers: [] }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 409, 409, 409]);
  });

  it('an erased booking of OCTO refuses new details, and is confirmed again without them', async () => {
    const { uuid } = await erasedOctoBooking();
    const contact = { fullName: 'Ana Lima' };
    const answers = [
      await site.patch(`/octo/bookings/${uuid}`, { contact }),
      await site.patch(`/octo/bookings/${uuid}`, { notes: 'Vegetarian' }),
      await site.post(`/octo/bookings/${uuid}/confirm`, { contact }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 200]);
    expect(answers[2]!.body.contact.fullName).toBeNull();
  });
});
