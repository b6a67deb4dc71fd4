import { findTour } from '../../../services/api/catalog/find-tour';
import { addDeparture } from '../../../services/api/departures/change-departure';
import { pricesAnswer } from '../../../services/api/pricing/prices';
import type { Context } from '../../engine/context';
import { formatMoney } from '../../engine/money';
import { countOf } from '../../terminal/text';
import { toDepartureDocument } from './actions';

/** Amounts are decimal texts in major units; dates are YYYY-MM-DD. */
export interface NewDepartureOptions {
  seats: number;
  adult: string;
  child?: string;
  singleSupplement?: string;
  returnDate?: string;
  closesAt?: Date;
}

export async function addDepartureCommand(
  { audited, db, output }: Context,
  options: NewDepartureOptions,
  idOrSlug: string,
  date: string,
): Promise<void> {
  const { seats, adult, child, singleSupplement, returnDate = null, closesAt = null } = options;
  const tour = await findTour(db, idOrSlug);
  const entry = { action: 'departure.add', subject: `${tour.slug} ${date}` };
  const added = await audited(entry, async (trx, note) => {
    const departure = await addDeparture(trx, tour, {
      date,
      returnDate,
      closesAt,
      seatsTotal: seats,
      prices: {
        adult,
        ...(child !== undefined && { child }),
        ...(singleSupplement !== undefined && { single_supplement: singleSupplement }),
      },
    });
    note(null, {
      return_date: returnDate,
      closes_at: closesAt?.toISOString() ?? null,
      seats_total: seats,
      prices: pricesAnswer(departure.prices, departure.tour.currencyDigits),
    });
    return departure;
  });
  const document = { ...toDepartureDocument(tour, added), closes_at: closesAt?.toISOString() ?? null };
  output.answer(document, () => {
    const price = formatMoney(document.prices.adult, document.currency);
    return `${tour.slug} on ${date} is added: ${countOf(seats, 'seat')}, adult ${price}`;
  });
  if (added.past) output.warn(`${date} is in the past: the departure cannot be booked`);
  else if (added.closed) output.warn('--closes-at is in the past: the departure cannot be booked');
}
