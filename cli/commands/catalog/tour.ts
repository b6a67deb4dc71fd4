import { changeTourStatus } from '../../../services/api/catalog-import/change-tour-status';
import { exportTour } from '../../../services/api/catalog-import/export-catalog';
import { findTour } from '../../../services/api/catalog/find-tour';
import type { TourStatus } from '../../../services/api/catalog/tour';
import type { Context } from '../../engine/context';
import { withMoney } from '../../engine/money';
import { properties, sections, table } from '../../terminal/table';
import { countOf } from '../../terminal/text';
import { toTourDocument } from './list';

interface ItineraryDay {
  day: number;
  title: string;
}

export async function showTourCommand({ db, output }: Context, _: object, idOrSlug: string): Promise<void> {
  const tour = await findTour(db, idOrSlug);
  const document = { ...toTourDocument(tour), ...(await exportTour(db, tour.id)) };
  output.answer(document, (screen) => {
    const { itinerary, images, start_location, end_location, ...fields } = document as typeof document &
      Record<string, unknown>;
    const shown = {
      ...withMoney(fields, ['base_price', 'price_from']),
      start_location: describeLocation(start_location),
      end_location: describeLocation(end_location),
      images: (images as { url: string }[]).map(({ url }) => url),
    };
    const isFilled = (value: unknown) => value !== null && !(Array.isArray(value) && value.length === 0);
    const days = (itinerary as ItineraryDay[]).map(({ day, title }) => [day, title]);
    return sections([
      [
        '',
        properties(Object.fromEntries(Object.entries(shown).filter(([, value]) => isFilled(value))), screen),
      ],
      ['', table(['day', { heading: 'itinerary', least: 20 }], days, '', screen)],
    ]);
  });
}

function describeLocation(location: unknown): string | null {
  if (location === null) return null;
  const { name, lat, lng } = location as { name: string; lat?: number; lng?: number };
  return lat === undefined || lng === undefined ? name : `${name} (${lat}, ${lng})`;
}

export async function publishTourCommand(context: Context, _: object, idOrSlug: string): Promise<void> {
  const document = await changeStatus(context, 'publish', idOrSlug, 'published');
  const { slug, upcoming_departures: departures } = document;
  context.output.answer(
    document,
    () => `${slug} is published; ${countOf(departures, 'departure')} can be booked`,
  );
  if (departures === 0)
    context.output.warn(
      `${slug} has no departure that can be booked: tourctl departure add ${slug} <date> adds one`,
    );
}

export async function archiveTourCommand(context: Context, _: object, idOrSlug: string): Promise<void> {
  const document = await changeStatus(context, 'archive', idOrSlug, 'archived');
  context.output.answer(
    document,
    () => `${document.slug} is archived: no tenant sees it; its holds and bookings stay`,
  );
}

async function changeStatus({ audited, db }: Context, verb: string, idOrSlug: string, status: TourStatus) {
  const tour = await findTour(db, idOrSlug);
  const entry = { action: `catalog.${verb}`, subject: tour.slug };
  return audited(entry, async (trx, note) => {
    const { before, after } = await changeTourStatus(trx, tour, status);
    note({ status: before.status }, { status: after.status });
    return toTourDocument(after);
  });
}
