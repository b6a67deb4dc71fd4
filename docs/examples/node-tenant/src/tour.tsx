import type { TourPlatform } from '@tour-platform/client';
import { type Request, type Response, Router } from 'express';
import { Calendar, type Chosen, chosenIn, todayIn } from './calendar.js';
import { PolicyTerms } from './cancellation.js';
import { type Form, refusedForm, type Values } from './form.js';
import type { Orders } from './orders.js';
import { countryName, days, longDate, money, Picture, sendPage } from './page.js';
import { PARTY_FIELDS, partyField, PartyFields, partyIn } from './party.js';
import { Refusal } from './refusal.js';
import {
  type Availability,
  type Category,
  type Departure,
  type Tour,
  upcomingDepartures,
} from './tour-platform.js';

/** The page of a tour: its calendar, and the form that holds seats. */
export function showTour(platform: TourPlatform, orders: Orders): Router {
  const router = Router();

  router.get('/tours/:slug', async (request, response) => {
    const values = valuesIn(request);
    await sendTour(response, platform, request.params.slug, { values, issues: {} });
  });

  router.post('/tours/:slug', async (request, response) => {
    const values = request.body as Values;
    try {
      const order = await holdSeats(platform, orders, request.params.slug, values);
      response.redirect(303, `/orders/${order}`);
    } catch (error) {
      const form = refusedForm(values, error, partyField);
      await sendTour(response.status(form.refusal!.status), platform, request.params.slug, form);
    }
  });

  return router;
}

/** Returns the query as the values of the form. `date` and `time` are short names for links. */
function valuesIn({ query }: Request): Values {
  const { date, time, ...rest } = Object.fromEntries(
    Object.entries(query).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
  return { ...rest, departure_date: date, departure_time: time };
}

/** Holds the seats for the time of a payment. @returns the id of the new order */
async function holdSeats(platform: TourPlatform, orders: Orders, tour: string, values: Values) {
  const { departure_date = '', departure_time } = values;
  const id = orders.newId();
  const path = { id_or_slug: tour };
  const { data: hold } = await platform.POST('/api/gateway/tours/{id_or_slug}/hold', {
    params: { path, header: { 'Idempotency-Key': `${id}-hold` } },
    body: {
      departure_date,
      departure_time: departure_time || undefined,
      party: partyIn(values),
      external_ref: id,
    },
  });
  const { data } = await platform.GET('/api/tenant/tours/{id_or_slug}', { params: { path } });
  orders.save({
    id,
    tour,
    tourName: data.name,
    timeZone: data.time_zone,
    date: hold.departure_date,
    time: hold.departure_time,
    party: hold.party,
    categories: data.categories,
    holdId: hold.hold_id,
    payUntil: hold.expires_at,
    total: hold.total_price,
    currency: hold.currency,
    bookingRef: null,
    status: 'held',
    updatedAt: null,
    changes: 0,
  });
  return id;
}

async function sendTour(response: Response, platform: TourPlatform, slug: string, form: Form) {
  const [{ data: tour }, departures] = await Promise.all([
    platform.GET('/api/tenant/tours/{id_or_slug}', { params: { path: { id_or_slug: slug } } }),
    upcomingDepartures(platform, slug),
  ]);
  const { departure_date: date, departure_time: time, month } = form.values;
  const chosen = chosenIn(departures, { date, time, month });
  const availability = chosen.departure && (await checkAvailability(platform, tour, chosen.departure));
  sendPage(
    response,
    tour.name,
    <>
      <h1>{tour.name}</h1>
      <p class="lead">{tour.summary}</p>
      <div class="intro">
        <Offer tour={tour} chosen={chosen} />
        <Picture url={tour.image_url} isFirst />
      </div>
      <p class="description">{tour.description}</p>
      <Itinerary tour={tour} />
      <Terms tour={tour} />
      <h2 id="dates">Choose a date</h2>
      <div class="choice">
        <Calendar
          departures={departures}
          chosen={chosen}
          today={todayIn(tour.time_zone)}
          category={tour.categories[0]!.code}
        />
        <section id="party" class="panel">
          {form.refusal && <Refusal error={form.refusal} shown={PARTY_FIELDS} />}
          {availability ? (
            <PartyForm categories={tour.categories} availability={availability} form={form} />
          ) : (
            <p>Choose a date in the calendar{chosen.date && ', then a time'}.</p>
          )}
        </section>
      </div>
    </>,
  );
}

/** The price and the next step, which a visitor sees first. */
function Offer({ tour, chosen: { departure } }: { tour: Tour; chosen: Chosen }) {
  const { currency, price_from, country, duration_days, group_size_max, languages } = tour;
  const { code, people } = tour.categories[0]!;
  const price = departure?.tenant_prices[code];
  const spoken = languages.map((code) => languageNames.of(code)).join(', ');
  return (
    <section class="panel offer">
      <p class="price">
        {price === undefined ? `from ${money(price_from, currency)}` : money(price, currency)}{' '}
        <small>{people === 1 ? 'a person' : `for ${people} people`}</small>
      </p>
      {departure && <p>{longDate(departure.departure_date, departure.start_time)}</p>}
      <a class="button" href={departure ? '#party' : '#dates'}>
        {departure ? 'Book this departure' : 'Book: choose a date'}
      </a>
      <ul class="facts">
        <li>{`${days(duration_days)}, ${countryName(country)}`}</li>
        {group_size_max !== null && <li>{`At most ${group_size_max} people`}</li>}
        {spoken && <li>{spoken}</li>}
      </ul>
    </section>
  );
}

const languageNames = new Intl.DisplayNames('en', { type: 'language' });

function Itinerary({ tour: { itinerary } }: { tour: Tour }) {
  if (itinerary.length === 0) return null;
  return (
    <>
      <h2>Day by day</h2>
      <ol class="itinerary">
        {itinerary.map(({ title, description }) => (
          <li>
            <strong>{title}</strong> {description}
          </li>
        ))}
      </ol>
    </>
  );
}

/** Shows what the price includes, and the conditions of a cancellation, before the form. */
function Terms({ tour: { inclusions, exclusions, cancellation, cancellation_policy } }: { tour: Tour }) {
  return (
    <div class="terms">
      <Items title="Included" items={inclusions} />
      <Items title="Not included" items={exclusions} />
      {(cancellation || cancellation_policy) && (
        <section>
          <h2>If you cancel</h2>
          {cancellation && <PolicyTerms policy={cancellation} />}
          {cancellation_policy && <p>{cancellation_policy}</p>}
        </section>
      )}
    </div>
  );
}

function Items({ title, items }: { title: string; items: string[] }) {
  if (items.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {items.map((item) => (
          <li>{item}</li>
        ))}
      </ul>
    </section>
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

interface PartyFormProps {
  categories: Category[];
  availability: Availability;
  form: Form;
}

function PartyForm({ categories, availability, form }: PartyFormProps) {
  const { departure_date, departure_time, available, tenant_prices, seats_available } = availability;
  const title = <h3>{longDate(departure_date, departure_time)}</h3>;
  if (!available || tenant_prices === null) {
    return (
      <>
        {title}
        <p>No seats are free. Please choose another date or time in the calendar.</p>
      </>
    );
  }
  return (
    <form method="post" action="#party">
      {title}
      <input type="hidden" name="departure_date" value={departure_date} />
      <input type="hidden" name="departure_time" value={departure_time ?? ''} />
      <PartyFields categories={categories} availability={availability} form={form} />
      <button>Hold the seats</button>
      <p class="facts">{seats_available} seats are free.</p>
    </form>
  );
}
