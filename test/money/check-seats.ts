import type { Booking, Sale } from './sales';
import { seatsOf } from './shapes';
import { DATES, SEATS, type Shop } from './shop';

/** Compares the free seats of both departures, as REST and OCTO show them, with the holds, reservations and bookings of the model. */
export async function checkSeats({ website, tour, shape }: Shop, sales: (Sale | Booking)[]): Promise<void> {
  const standing = sales.filter((sale) => !('isCancelled' in sale && sale.isCancelled));
  const free = DATES.map((date) =>
    standing
      .filter(({ terms }) => terms.date === date)
      .reduce((left, { party }) => left - seatsOf(shape, party), SEATS),
  );
  const { body: rest } = await website.get(`/api/tenant/tours/${tour.slug}/departures`);
  expect(rest.items.map((item: { seats_available: number }) => item.seats_available)).toEqual(free);
  const days = {
    productId: tour.id,
    optionId: 'DEFAULT',
    localDateStart: DATES[0],
    localDateEnd: DATES[1],
  };
  const { body: octo } = await website.post('/octo/availability', days);
  expect(octo.map((day: { vacancies: number }) => day.vacancies)).toEqual(free);
}
