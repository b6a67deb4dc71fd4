import type { OfferedPickup } from '../pickups/pickup';
import { translatePoints } from '../pickups/pickup';
import { languagesForTag, type TranslatedQuestions } from './tour-text';

/** The questions and the pickup of a tour. Null: it asks nothing. */
export type TourAsks = (TranslatedQuestions & AskedPickup) | null;

interface AskedPickup {
  /** IANA name. */
  timeZone: string;
  /** Null: the tour fetches nobody. */
  pickup: OfferedPickup | null;
}

/** Selects the OfferedPickup of the tour `t`, with the present words of its points. */
export const TOUR_PICKUP = `case when t.pickup is not null then t.pickup || jsonb_build_object('points', (
  select coalesce(jsonb_agg(jsonb_build_object('point', p.code, 'name', p.name, 'address', p.address, 'lat', p.lat, 'lng', p.lng,
    'directions', p.directions, 'google_place_id', p.google_place_id, 'translations', p.translations,
    'minutes_before', (listed.value ->> 'minutes_before')::integer) order by listed.place), '[]')
  from jsonb_array_elements(t.pickup -> 'points') with ordinality as listed (value, place)
    join pickup_points p on p.code = listed.value ->> 'point')) end`;

/** Selects the TourAsks of the tour `t`. Reads its translations and its points only for a tour that asks something. */
export const TOUR_ASKS = `case when t.questions is not null or t.pickup is not null then json_build_object(
  'language', t.language, 'timeZone', t.time_zone, 'questions', coalesce(t.questions, '[]'), 'pickup', ${TOUR_PICKUP},
  'translations', (select coalesce(json_object_agg(l.key, l.value -> 'questions'), '{}') from jsonb_each(t.translations) l
                   where jsonb_exists(l.value, 'questions'))) end`;

/** Returns the pickup of a tour with the words of its points in a language. @param tag null: the tour's own language */
export function pickupInLanguage(asks: TourAsks, tag: string | null): OfferedPickup | null {
  if (!asks?.pickup || tag === null) return asks?.pickup ?? null;
  const languagesOf = (translated: string[]) => languagesForTag(tag, asks.language, translated);
  return { ...asks.pickup, points: translatePoints(asks.pickup.points, languagesOf) };
}
