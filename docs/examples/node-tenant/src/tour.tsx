import type { TourPlatform } from '@tour-platform/client';
import { Router } from 'express';
import { Calendar, chosenIn } from './calendar.js';
import { Field, longDate, money, sendPage } from './page.js';
import type { Availability, Departure, Tour } from './tour-platform.js';

/** The page of a tour: its calendar, and the form that holds seats. */
export function showTour(platform: TourPlatform): Router {
  return Router().get('/tours/:slug', async (request, response) => {
    const params = { path: { id_or_slug: request.params.slug } };
    const [{ data: tour }, { data: departures }] = await Promise.all([
      platform.GET('/api/tenant/tours/{id_or_slug}', { params }),
      platform.GET('/api/tenant/tours/{id_or_slug}/departures', { params }),
    ]);
    const chosen = chosenIn(departures.items, request.query);
    const availability = chosen.departure && (await checkAvailability(platform, tour, chosen.departure));
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
        <Calendar departures={departures.items} chosen={chosen} />
        {availability && <PartyForm availability={availability} />}
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

/** Asks again when the visitor opens a departure, because the calendar may be older. */
async function checkAvailability(platform: TourPlatform, tour: Tour, departure: Departure) {
  const { departure_date, start_time } = departure;
  const { data } = await platform.GET('/api/gateway/tours/{id_or_slug}/availability', {
    params: {
      path: { id_or_slug: tour.slug },
      query: { departure_date, departure_time: start_time ?? undefined },
    },
  });
  return data;
}

function PartyForm({ availability }: { availability: Availability }) {
  const { tour, departure_date, departure_time, available, tenant_prices, currency, seats_available } =
    availability;
  const title = <h2>{longDate(departure_date, departure_time)}</h2>;
  if (!available || tenant_prices === null) {
    return (
      <section id="party" class="panel">
        {title}
        <p>No seats are free. Please choose another departure.</p>
      </section>
    );
  }
  return (
    <form id="party" class="panel" method="post" action="/orders">
      {title}
      <input type="hidden" name="tour" value={tour.slug} />
      <input type="hidden" name="departure_date" value={departure_date} />
      <input type="hidden" name="departure_time" value={departure_time ?? ''} />
      <Field label={`Adults, ${money(tenant_prices.adult, currency)} each`}>
        <input type="number" name="adults" min="1" max={Math.min(50, seats_available)} value="2" required />
      </Field>
      {tenant_prices.child !== undefined && (
        <Field label={`Children, ${money(tenant_prices.child, currency)} each`}>
          <input type="number" name="children" min="0" max={Math.min(49, seats_available - 1)} value="0" />
        </Field>
      )}
      <button>Hold the seats</button>
      <p class="facts">{seats_available} seats are free.</p>
    </form>
  );
}
