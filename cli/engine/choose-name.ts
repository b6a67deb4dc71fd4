import type { CredentialKind } from '../../services/api/credentials/token';
import { listBookings } from '../../services/api/bookings/find-booking';
import { listCredentials } from '../../services/api/credentials/manage-credentials';
import { findTour } from '../../services/api/catalog/find-tour';
import { departureStatus } from '../../services/api/departures/departure';
import { findCountedDepartures } from '../../services/api/departures/departure-list.repository';
import { findSlugsContaining } from '../../services/api/health/known-names.repository';
import { listHolds } from '../../services/api/holds/find-hold';
import { listResources } from '../../services/api/resources/find-resource';
import { ANY_TENANT } from '../../services/api/tenants/tenant';
import type { Db } from '../../services/platform/database/database';
import { findDeliveries } from '../../services/webhook-queue/deliveries/find-deliveries';
import { listEndpoints } from '../../services/webhook-queue/endpoints/endpoint.repository';
import type { Choose } from './complete-values';
import { UsageError } from './failure';
import { type ListedKind, OBJECT_NAMES } from './named-values';
import type { Io } from '../terminal/io';
import { askFromList, type Choice } from '../terminal/prompts';
import { shortTime } from '../terminal/table';
import { countOf } from '../terminal/text';

/** The most objects that a list shows. */
const MOST = 200;

/** An object in a list, with the line that describes it. */
type NamedChoice = Required<Pick<Choice, 'value' | 'name'>>;

/** Returns the first objects that a person may mean. @param tour id or slug of the tour, for its departures */
type List = (db: Db, tour: string) => Promise<NamedChoice[]>;

const LISTS: Record<ListedKind, List> = {
  tenant: (db) => findSlugs(db, 'tenant', ''),
  tour: (db) => findSlugs(db, 'tour', ''),
  departure: listDepartures,
  booking: (db) => findBookings(db, undefined),
  resource: async (db) => {
    const resources = await listResources(db, { limit: MOST });
    return resources.map(({ code, kind, name }) => choice(code, kind, name));
  },
  apiKey: (db) => listLive(db, 'api_key'),
  widgetToken: (db) => listLive(db, 'widget_token'),
  hold: async (db) => {
    const holds = await listHolds(db, ANY_TENANT, { status: 'active', limit: MOST });
    return holds.map(({ id, tenant, tour, departureDate, seats }) =>
      choice(id, tenant.slug, tour.slug, departureDate, countOf(seats, 'seat')),
    );
  },
  endpoint: async (db) => {
    const endpoints = await listEndpoints(db, { limit: MOST });
    return endpoints.map(({ id, tenant, status, url }) => choice(id, tenant, status, url));
  },
  delivery: async (db) => {
    const deliveries = await findDeliveries(db, {}, MOST);
    return deliveries.map(({ id, tenant, status, eventType, bookingRef }) =>
      choice(id, tenant, status, eventType, bookingRef),
    );
  },
};

/** Finds objects by a typed text in the database, because a list may not contain all of them. */
const SEARCHES: { [Kind in ListedKind]?: (db: Db, typed: string) => Promise<NamedChoice[]> } = {
  tenant: (db, typed) => findSlugs(db, 'tenant', typed),
  tour: (db, typed) => findSlugs(db, 'tour', typed),
  booking: findBookings,
};

async function findSlugs(db: Db, kind: 'tenant' | 'tour', typed: string): Promise<NamedChoice[]> {
  const found = await findSlugsContaining(db, kind, typed, MOST);
  return found.map(({ slug, name }) => choice(slug, name));
}

async function listDepartures(db: Db, idOrSlug: string): Promise<NamedChoice[]> {
  const { id: tourId } = await findTour(db, idOrSlug);
  const departures = await findCountedDepartures(db, { tourId, limit: MOST });
  return departures.map((departure) => {
    const { departureDate: date, startTime: time, seatsTaken, seatsTotal } = departure;
    const seats = `${seatsTaken} of ${countOf(seatsTotal, 'seat')} taken`;
    return choice(time === null ? date : `${date}T${time}`, departureStatus(departure), seats);
  });
}

async function findBookings(db: Db, typed: string | undefined): Promise<NamedChoice[]> {
  const search = typed !== undefined && /[\p{L}\p{N}]/u.test(typed) ? typed : undefined;
  const { items } = await listBookings(db, ANY_TENANT, { search, limit: MOST });
  return items.map(({ bookingRef, tenant, tour, departureDate, seats, status }) =>
    choice(bookingRef, tenant.slug, tour.slug, departureDate, countOf(seats, 'seat'), status),
  );
}

async function listLive(db: Db, kind: CredentialKind): Promise<NamedChoice[]> {
  const live = await listCredentials(db, kind, undefined, { status: 'live', limit: MOST });
  return live.map((one) => {
    const purpose = 'scopes' in one ? (one.name ?? one.website) : one.origins.join(' ');
    return choice(one.id, one.tenant, shortTime(one.createdAt), purpose);
  });
}

/** @param facts facts that distinguish this object from others, the most useful one first */
function choice(value: string, ...facts: (string | null)[]): NamedChoice {
  return { value, name: [value, ...facts.filter((fact) => fact !== null)].join('  ') };
}

/**
 * Returns a function that lets the person choose a missing argument from a list, which typed text shortens.
 * @param database called when the question is shown, so that the person need not wait for the database to see it
 * @throws UsageError if there is nothing to choose from; CancelledError
 */
export function chooserOf(io: Io, database: () => Promise<Db>): Choose {
  return async (kind, name, { tour = '' }) => {
    const object = OBJECT_NAMES[kind];
    let listed: Promise<NamedChoice[]> | undefined;
    const find = async (typed: string) => {
      const db = await database();
      const choices = await (listed ??= LISTS[kind](db, tour));
      if (choices.length === 0)
        throw new UsageError(`<${name}> is missing, and there is no ${object} to choose from`);
      const text = typed.trim();
      // Searches a complete list here, without a wait. A booking is also found by its customer, whom the list does not show.
      const search = kind === 'booking' || choices.length === MOST ? SEARCHES[kind] : undefined;
      if (search && text !== '') return search(db, text);
      return choices.filter((one) => one.name.toLowerCase().includes(text.toLowerCase()));
    };
    return askFromList(io, name === 'to' ? `To which ${object}?` : `Which ${object}?`, find);
  };
}
