import type { TourPlatform } from '@tour-platform/client';
import { type Request, Router } from 'express';
import { Field, longDate, money, sendPage } from './page.js';
import type { CatalogItem, Filters } from './tour-platform.js';

const PAGE = 24;
/** The fields of the form; each is a parameter of the platform's catalog too. */
const SEARCH = [
  ...['q', 'continent', 'country', 'tag', 'departs_from', 'departs_to'],
  ...['duration_min', 'duration_max', 'sort', 'cursor'],
];

/** The page that finds a tour. */
export function searchTours(platform: TourPlatform): Router {
  return Router().get('/', async (request, response) => {
    const wanted = searchOf(request);
    const [{ data: found }, { data: filters }] = await Promise.all([
      platform.GET('/api/tenant/catalog', { params: { query: { ...wanted, limit: PAGE } } }),
      platform.GET('/api/tenant/catalog/filters'),
    ]);
    // Only a list of changes, with updated_since, has removed tours.
    const tours = found.items.flatMap((item) => ('removed' in item ? [] : item));
    sendPage(
      response,
      'Tours',
      <>
        <SearchForm filters={filters} wanted={wanted} />
        {tours.length === 0 && <p class="empty">No tour matches. Remove a filter.</p>}
        <ul class="cards">
          {tours.map((tour) => (
            <TourCard tour={tour} />
          ))}
        </ul>
        {found.next_cursor && (
          <p class="more">
            <a href={`/?${new URLSearchParams({ ...wanted, cursor: found.next_cursor }).toString()}`}>
              More tours
            </a>
          </p>
        )}
      </>,
    );
  });
}

/** Returns the filled fields: the platform refuses an empty value. */
function searchOf({ query }: Request): Record<string, string> {
  const filled = SEARCH.map((name) => [name, query[name]] as const);
  return Object.fromEntries(
    filled.filter((pair): pair is [string, string] => typeof pair[1] === 'string' && pair[1] !== ''),
  );
}

function SearchForm({ filters, wanted }: { filters: Filters; wanted: Record<string, string> }) {
  const { continents, countries, tags, departures } = filters;
  return (
    <form class="search" action="/">
      <Field label="Name">
        <input type="search" name="q" maxLength={100} value={wanted.q} />
      </Field>
      <Choice label="Continent" name="continent" options={continents} wanted={wanted} />
      <Choice label="Country" name="country" options={countries} wanted={wanted} />
      <Choice label="Kind" name="tag" options={tags} wanted={wanted} />
      {(['departs_from', 'departs_to'] as const).map((name) => (
        <Field label={name === 'departs_from' ? 'Departs from' : 'Departs until'}>
          <input
            type="date"
            name={name}
            min={departures.from ?? undefined}
            max={departures.to ?? undefined}
            value={wanted[name]}
          />
        </Field>
      ))}
      {(['duration_min', 'duration_max'] as const).map((name) => (
        <Field label={name === 'duration_min' ? 'At least days' : 'At most days'}>
          <input type="number" name={name} min="1" max="365" value={wanted[name]} />
        </Field>
      ))}
      <Field label="Sort by">
        <select name="sort">
          <option value="name">Name</option>
          <option value="next_departure_date" selected={wanted.sort === 'next_departure_date'}>
            Next departure
          </option>
        </select>
      </Field>
      <button>Search</button>
    </form>
  );
}

interface ChoiceProps {
  label: string;
  name: string;
  options: { value: string; tours: number }[];
  wanted: Record<string, string>;
}

function Choice({ label, name, options, wanted }: ChoiceProps) {
  return (
    <Field label={label}>
      <select name={name}>
        <option value="">Any</option>
        {options.map(({ value, tours }) => (
          <option value={value} selected={wanted[name] === value}>
            {`${nameOf(name, value)} (${tours})`}
          </option>
        ))}
      </select>
    </Field>
  );
}

const countryNames = new Intl.DisplayNames('en', { type: 'region' });

function nameOf(field: string, value: string): string {
  if (field === 'country') return countryNames.of(value) ?? value;
  return value.replace(
    /(^|-)(.)/g,
    (_, dash: string, letter: string) => (dash && ' ') + letter.toUpperCase(),
  );
}

function TourCard({ tour }: { tour: CatalogItem }) {
  const { slug, name, summary, image_url, country, duration_days, price_from, currency } = tour;
  return (
    <li class="card">
      {image_url && <img src={image_url} alt="" loading="lazy" />}
      <h2>
        <a href={`/tours/${slug}`}>{name}</a>
      </h2>
      <p>{summary}</p>
      <p class="facts">
        {countryNames.of(country)} · {duration_days} {duration_days === 1 ? 'day' : 'days'}
      </p>
      <p class="price">from {money(price_from, currency)}</p>
      <p class="facts">
        {tour.next_departure_date ? `Next: ${longDate(tour.next_departure_date)}` : 'On request'}
      </p>
    </li>
  );
}
