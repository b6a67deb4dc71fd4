import type { CatalogTour } from '../../../services/api/catalog/catalog-tour';
import { type Departure, departureStatus, seatsAvailable } from '../../../services/api/departures/departure';
import { pricesAnswer } from '../../../services/api/pricing/prices-answer';

export function toDepartureDocument(tour: CatalogTour, departure: Departure) {
  return {
    id: departure.id,
    tour: tour.slug,
    departure_date: departure.departureDate,
    return_date: departure.returnDate,
    status: departureStatus(departure),
    seats_total: departure.seatsTotal,
    seats_taken: departure.seatsTaken,
    seats_available: seatsAvailable(departure),
    currency: tour.currency,
    prices: pricesAnswer(departure.prices, tour.currencyDigits),
  };
}
