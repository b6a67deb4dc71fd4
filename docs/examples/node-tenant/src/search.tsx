import type { TourPlatform } from '@tour-platform/client';
import { type Request, Router } from 'express';
import type { ComponentChildren } from 'preact';
import { countryName, days, longDate, money, Picture, sendPage } from './page.js';
import type { CatalogItem, Filters } from './tour-platform.js';

const PAGE = 24;
/** Fields that are shown at once, and those behind "More filters". Each is a parameter of the platform's catalog too. */
const FIRST = ['q', 'country', 'departs_from'];
const MORE = ['continent', 'tag', 'departs_to', 'duration_min', 'duration_max', 'sort'];

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
        <h1>Tours</h1>
        <SearchForm filters={filters} wanted={wanted} />
        {tours.length === 0 && <p class="empty">No tour matches. Remove a filter.</p>}
        <ul class="cards">
          {tours.map((tour, index) => (
            <TourCard tour={tour} isFirst={index === 0} />
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
  const filled = [...FIRST, ...MORE, 'cursor'].map((name) => [name, query[name]] as const);
  return Object.fromEntries(
    filled.filter((pair): pair is [string, string] => typeof pair[1] === 'string' && pair[1] !== ''),
  );
}

function SearchForm({ filters, wanted }: { filters: Filters; wanted: Record<string, string> }) {
  const { continents, countries, tags, departures } = filters;
  const dates = { min: departures.from ?? undefined, max: departures.to ?? undefined };
  return (
    <form class="search" action="/">
      <Field label="Name">
        <input type="search" name="q" maxLength={100} value={wanted.q} />
      </Field>
      <Choice label="Country" name="country" options={countries} wanted={wanted} />
      <Field label="Departs from">
        <input type="date" {...dates} name="departs_from" value={wanted.departs_from} />
      </Field>
      <button>Search</button>
      <details open={MORE.some((name) => wanted[name])}>
        <summary>More filters</summary>
        <div class="search">
          <Choice label="Continent" name="continent" options={continents} wanted={wanted} />
          <Choice label="Kind" name="tag" options={tags} wanted={wanted} />
          <Field label="Departs until">
            <input type="date" {...dates} name="departs_to" value={wanted.departs_to} />
          </Field>
          <Field label="At least days">
            <input type="number" min="1" max="365" name="duration_min" value={wanted.duration_min} />
          </Field>
          <Field label="At most days">
            <input type="number" min="1" max="365" name="duration_max" value={wanted.duration_max} />
          </Field>
          <Field label="Sort by">
            <select name="sort">
              <option value="">Name</option>
              <option value="next_departure_date" selected={wanted.sort === 'next_departure_date'}>
                Next departure
              </option>
            </select>
          </Field>
        </div>
      </details>
    </form>
  );
}

function Field({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <label>
      <span>{label}</span>
      {children}
    </label>
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

function nameOf(field: string, value: string): string {
  if (field === 'country') return countryName(value);
  return value.replace(
    /(^|-)(.)/g,
    (_, dash: string, letter: string) => (dash && ' ') + letter.toUpperCase(),
  );
}

function TourCard({ tour, isFirst }: { tour: CatalogItem; isFirst: boolean }) {
  const { slug, name, summary, image_url, country, duration_days, price_from, currency } = tour;
  return (
    <li class="card">
      <Picture url={image_url} isFirst={isFirst} />
      <h2>
        <a href={`/tours/${slug}`}>{name}</a>
      </h2>
      <p>{summary}</p>
      <p class="facts">{`${countryName(country)}, ${days(duration_days)}`}</p>
      <p class="price">from {money(price_from, currency)}</p>
      <p class="facts">
        {tour.next_departure_date ? `Next: ${longDate(tour.next_departure_date)}` : 'On request'}
      </p>
    </li>
  );
}
