import { findTour } from '../../../services/api/catalog/find-tour';
import { DEPARTURE_STATUSES, type DepartureStatus } from '../../../services/api/departures/departure';
import {
  type CountedDeparture,
  departureExists,
  findCountedDepartures,
} from '../../../services/api/departures/departure-list.repository';
import { findResource } from '../../../services/api/resources/find-resource';
import {
  findUsesOfDepartures,
  type UsesOfDeparture,
} from '../../../services/api/resources/uses-of-departures';
import type { Blocking } from '../../../services/api/resources/uses-of-departures.repository';
import type { Db } from '../../../services/platform/database/database';
import { flag, type Verb } from '../../engine/command';
import type { Context } from '../../engine/context';
import { UsageError } from '../../engine/failure';
import { afterFlag, LIST_FLAGS, listOf } from '../../engine/list';
import { slug, travelDate, uuid } from '../../engine/values';
import type { ItemColumn } from '../../terminal/table';
import { describeFirstPrice, toListedDocument } from './document';

interface DepartureListOptions {
  /** YYYY-MM-DD */
  from?: string;
  to?: string;
  status?: DepartureStatus;
  /** The code of a resource. */
  guide?: string;
  after?: string;
}

export const listDeparturesVerb: Verb = {
  usage: 'list [tour]',
  about: 'List the departures of a tour, or of all tours, by date and time, from today on',
  flags: [
    flag('--from <date>', 'from this day on, which may be past', { parse: travelDate }),
    flag('--to <date>', 'up to this day', { parse: travelDate }),
    flag('--status <status>', 'only in this status', { choices: DEPARTURE_STATUSES }),
    flag('--guide <code>', 'only with this guide, or another resource that they use', { parse: slug }),
    ...LIST_FLAGS,
    afterFlag('id', uuid),
  ],
  check: ({ from, to }: DepartureListOptions) => {
    if (from && to && to < from) throw new UsageError('--to must not be before --from');
  },
  examples: [
    'departure list --from 2027-06-05 --to 2027-06-06',
    'departure list dolomites-hut-to-hut --status sold_out',
    'departure list --guide maria --from 2027-06-05 --to 2027-06-12',
  ],
  run: listDeparturesCommand,
};

type CountedDocument = ReturnType<typeof toCountedDocument>;

const DATE_COLUMNS: ItemColumn<CountedDocument>[] = [
  { heading: 'date', cell: (d) => d.departure_date },
  { heading: 'start', cell: (d) => d.start_time },
];
const SEAT_COLUMNS: ItemColumn<CountedDocument>[] = [
  {
    heading: 'status',
    tones: { available: 'good', sold_out: 'waiting', cancelled: 'bad', gone: 'quiet', closed: 'quiet' },
  },
  { heading: 'seats', right: true, cell: (d) => d.seats_total },
  { heading: 'held', right: true, aside: true, cell: (d) => d.seats_held },
  { heading: 'unpaid', right: true, aside: true, cell: (d) => d.seats_unpaid },
  { heading: 'confirmed', right: true, aside: true, cell: (d) => d.seats_confirmed },
  { heading: 'free', right: true, cell: (d) => d.seats_available },
  { heading: 'blocked by', least: 22, cell: describeBlocking },
  {
    heading: 'price',
    right: true,
    aside: true,
    cell: describeFirstPrice,
  },
  { heading: 'closes', aside: true, cell: (d) => d.closes_at },
  { heading: 'before', aside: true, cell: (d) => d.closes_before },
  { heading: 'id', aside: true, cell: (d) => d.id },
];

/** Describes what takes the resources of a departure: `boat-maria: 09:00 island`, with the date if it is another one. */
function describeBlocking({ departure_date: date, blocked_by: blocking }: CountedDocument): string | null {
  const described = blocking.map(({ resource, tour, closing, ...trip }) => {
    const day = trip.departure_date === date ? null : trip.departure_date;
    const words = [day, trip.departure_time, tour ?? closing].filter((word) => word !== null);
    return `${resource}: ${words.join(' ')}`;
  });
  return described.join(', ') || null;
}

const listWith = (columns: ItemColumn<CountedDocument>[]) =>
  listOf({ find: findDepartureDocuments, columns, empty: 'No departures', after: ({ id }) => id });
const listOfTour = listWith([...DATE_COLUMNS, ...SEAT_COLUMNS]);
const listOfAllTours = listWith([...DATE_COLUMNS, { heading: 'tour', least: 10 }, ...SEAT_COLUMNS]);

async function listDeparturesCommand(
  context: Context,
  options: DepartureListOptions,
  idOrSlug?: string,
): Promise<void> {
  if (idOrSlug === undefined) await listOfAllTours(context, options);
  else await listOfTour(context, options, idOrSlug);
}

async function findDepartureDocuments(
  db: Db,
  { from, to, status, guide, after, limit }: DepartureListOptions & { limit: number },
  idOrSlug?: string,
) {
  const tourId = idOrSlug === undefined ? undefined : (await findTour(db, idOrSlug)).id;
  if (after !== undefined && !(await departureExists(db, after)))
    throw new UsageError('--after must be the id of a departure: there is none with this id any more');
  const resource = guide === undefined ? undefined : (await findResource(db, guide)).code;
  const departures = await findCountedDepartures(db, { tourId, from, to, status, resource, after, limit });
  const ids = departures.map(({ id }) => id);
  const uses = await findUsesOfDepartures(db, ids);
  return departures.map((departure) => toCountedDocument(departure, uses.get(departure.id)));
}

function toCountedDocument(departure: CountedDeparture, used?: UsesOfDeparture) {
  const { seats_taken, seats_available, ...document } = toListedDocument(departure.tourSlug, departure);
  return {
    ...document,
    seats_held: departure.seatsHeld,
    seats_unpaid: departure.seatsUnpaid,
    seats_confirmed: departure.seatsConfirmed,
    seats_taken,
    seats_available,
    uses: used?.uses ?? [],
    blocked_by: (used?.blockedBy ?? []).map(toBlockingDocument),
  };
}

function toBlockingDocument({ resource, closing, ...trip }: Blocking) {
  return {
    resource,
    tour: trip.tour,
    departure_date: trip.departureDate,
    departure_time: trip.departureTime,
    from: trip.from.toISOString(),
    to: trip.to.toISOString(),
    hold_id: trip.holdId,
    booking_ref: trip.bookingRef,
    closing,
  };
}
