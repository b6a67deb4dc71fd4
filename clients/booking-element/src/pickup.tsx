import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { isDue } from './answers.ts';
import type { FieldNames } from './contact-rules.ts';
import { departureText } from './departure-text.ts';
import { TextField, useField } from './field.tsx';
import {
  ALONE,
  ELSEWHERE,
  findPoints,
  mapOf,
  type PickupChoice,
  pointOf,
  timeBefore,
  timeOfPickup,
} from './pickup-choice.ts';
import { labelOf } from './question-field.tsx';
import { type Speech, useSpeech } from './speech.ts';
import type { Booking, Hold, PickupOffer, PickupPoint, Tour } from './wire.ts';

interface PickupProps {
  offer: PickupOffer;
  tour: Tour;
  hold: Hold;
  choice: PickupChoice;
  issues: FieldNames;
  onChange(choice: Partial<PickupChoice>): void;
}

/** So many points need no search. */
const SEARCHED_FROM = 8;
/** The most characters of a place. */
const PLACE_MAX = 200;

/** Asks where the guests are fetched. */
export function Pickup({ offer, tour, hold, choice, issues, onChange }: PickupProps) {
  const speech = useSpeech();
  const { words, formats } = speech;
  const { points } = offer;
  const { pickup, place } = choice;
  const [search, setSearch] = useState('');
  const found = findPoints(points, search);
  const chosen = pointOf(offer, choice);
  // The chosen point stays in sight of the next search.
  const shown = chosen && !found.includes(chosen) ? [chosen, ...found] : found;
  const { id, aria, notes } = useField({ name: 'pickup', value: pickup, isRequired: isDue(offer), issues });
  const others = [...(offer.elsewhere ? [ELSEWHERE] : []), ...(offer.required ? [] : [ALONE])];
  const radio = (code: string) => (
    <input
      type="radio"
      name="pickup"
      value={code}
      checked={code === pickup}
      onChange={() => onChange({ pickup: code })}
    />
  );
  return (
    <section part="pickup" class="pickup">
      <h3 id={id}>{labelOf({ ...offer, label: words.ask.pickup }, words)}</h3>
      {points.length > SEARCHED_FROM && (
        <div class="field">
          <label for="pickup-search">{words.ask.search}</label>
          <input
            id="pickup-search"
            type="search"
            autocomplete="off"
            value={search}
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
            onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
          />
          <p role="status" class="detail">
            {`${formats.number(found.length)} / ${formats.number(points.length)}`}
          </p>
        </div>
      )}
      <div role="radiogroup" aria-labelledby={id} {...aria}>
        <div class="points">
          {shown.map((point) => (
            <Point key={point.point} point={point} tour={tour} hold={hold} isChosen={point === chosen}>
              {radio(point.point)}
            </Point>
          ))}
        </div>
        {others.map((code) => (
          <label key={code} class="choice">
            {radio(code)}
            <span>{code === ALONE ? words.ask.alone : words.ask.elsewhere}</span>
          </label>
        ))}
      </div>
      {notes}
      {pickup === ELSEWHERE && offer.elsewhere && (
        <TextField
          name="place"
          label={words.ask.place}
          type="text"
          maxLength={PLACE_MAX}
          isRequired
          value={place}
          issues={issues}
          onInput={(value) => onChange({ place: value })}
        />
      )}
    </section>
  );
}

interface PointProps {
  point: PickupPoint;
  tour: Tour;
  hold: Hold;
  isChosen: boolean;
  /** The radio button. */
  children: ComponentChildren;
}

/** A point with its time and a link to a map. The keyboard reaches the map of the chosen point alone: a list may have hundreds. */
function Point({ point, tour, hold, isChosen, children }: PointProps) {
  const speech = useSpeech();
  const { words } = speech;
  const time = useMemo(() => pointTime(point, hold, tour, speech), [point, hold, speech]);
  const { name, address, directions } = point;
  const map = mapOf(point);
  return (
    <div class="point">
      <label class="choice">
        {children}
        <span>
          {name}
          <span class="detail">{time}</span>
          <span class="detail">{address}</span>
          {isChosen && <span class="detail">{directions}</span>}
        </span>
      </label>
      {map && (
        <a
          href={map}
          target="_blank"
          rel="noreferrer"
          tabIndex={isChosen ? 0 : -1}
          aria-label={`${words.ask.map}: ${name}`}
        >
          {words.ask.map}
        </a>
      )}
    </div>
  );
}

/** Returns when a point is served before a departure, in words: with the date if it is another day. Undefined: not known. */
function pointTime(
  { minutes_before }: PickupPoint,
  departure: Pick<Hold, 'departure_date' | 'departure_time'>,
  tour: Tour,
  speech: Speech,
): string | undefined {
  return timeText(timeBefore(departure, minutes_before, tour), departure.departure_date, speech);
}

/** Returns the local time of a pickup in words. @param date of the departure */
function timeText(
  time: ReturnType<typeof timeBefore>,
  date: string | null,
  { formats }: Speech,
): string | undefined {
  if (!time) return undefined;
  return time.departure_date === date ? formats.time(time.departure_time) : departureText(time, formats);
}

/** Returns the choice in words, with its time. Undefined: nothing is chosen. */
export function pickupText(
  tour: Tour,
  hold: Pick<Hold, 'departure_date' | 'departure_time'>,
  choice: PickupChoice,
  speech: Speech,
): string | undefined {
  if (!tour.pickup) return undefined;
  const point = pointOf(tour.pickup, choice);
  if (point) return [point.name, pointTime(point, hold, tour, speech)].filter(Boolean).join(' · ');
  if (choice.pickup === ALONE) return speech.words.ask.alone;
  return (choice.pickup === ELSEWHERE && choice.place.trim()) || undefined;
}

/** Returns the pickup of a booking in words, with its time. Undefined: it has none. @param place the guest's words, if they are known */
export function bookedPickupText(tour: Tour, booking: Booking, place: string | undefined, speech: Speech) {
  const { pickup, departure_date } = booking;
  if (!pickup) return undefined;
  const name = pickup.name ?? (place || speech.words.ask.elsewhere);
  return [name, timeText(timeOfPickup(booking, tour), departure_date, speech)].filter(Boolean).join(' · ');
}
