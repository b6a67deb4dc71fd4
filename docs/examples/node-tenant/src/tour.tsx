import { Router } from 'express';
import { Calendar } from './calendar.js';
import { Field, longDate, money, sendPage } from './page.js';
import type { Departure, Tour, TourPlatform } from './tour-platform.js';

/** The page of a tour: its calendar, and the form that holds seats. */
export function showTour(platform: TourPlatform): Router {
  return Router().get('/tours/:slug', async (request, response) => {
    const path = { id_or_slug: request.params.slug };
    const [tour, departures] = await Promise.all([
      platform('get', '/api/tenant/tours/{id_or_slug}', { path }),
      platform('get', '/api/tenant/tours/{id_or_slug}/departures', { path }),
    ]);
    const { date } = request.query;
    const chosen = departures.items.find(({ departure_date }) => departure_date === date);
    sendPage(
      response,
      tour.name,
      <>
        <h1>{tour.name}</h1>
        <p class="lead">{tour.summary}</p>
        {tour.image_url && <img class="cover" src={tour.image_url} alt="" />}
        <p>{tour.description}</p>
        <Itinerary tour={tour} />
        <h2 id="dates">Choose a date</h2>
        <Calendar
          departures={departures.items}
          linkTo={(day) => `?date=${day}#party`}
          chosen={chosen?.departure_date}
        />
        {chosen && <PartyForm tour={tour} departure={chosen} />}
      </>,
    );
  });
}

function Itinerary({ tour: { itinerary } }: { tour: Tour }) {
  if (itinerary.length === 0) return null;
  return (
    <ol class="itinerary">
      {itinerary.map(({ title, description }) => (
        <li>
          <strong>{title}</strong> {description}
        </li>
      ))}
    </ol>
  );
}

function PartyForm({ tour, departure }: { tour: Tour; departure: Departure }) {
  const { departure_date, tenant_prices: prices, currency, seats_available } = departure;
  return (
    <form id="party" class="panel" method="post" action="/orders">
      <h2>{longDate(departure_date)}</h2>
      <input type="hidden" name="tour" value={tour.slug} />
      <input type="hidden" name="departure_date" value={departure_date} />
      <Field label={`Adults, ${money(prices.adult, currency)} each`}>
        <input type="number" name="adults" min="1" max={Math.min(50, seats_available)} value="2" required />
      </Field>
      {prices.child !== undefined && (
        <Field label={`Children, ${money(prices.child, currency)} each`}>
          <input type="number" name="children" min="0" max={Math.min(49, seats_available - 1)} value="0" />
        </Field>
      )}
      <button>Hold the seats</button>
      <p class="facts">{seats_available} seats are free.</p>
    </form>
  );
}
