import { hasFewLeft, stateOf } from './departure-state.ts';
import { seatsLeft, useSpeech } from './speech.ts';
import type { Departure, Tour } from './wire.ts';
import { fill } from './words/words.ts';

export interface TimesProps {
  /** The departures of the chosen date. */
  departures: readonly Departure[];
  chosen: Departure | undefined;
  onChoose(time: string | null): void;
  /** Each time shows the price of its first category. */
  tour: Tour;
}

/** Shows the start times of one date. A departure that cannot be chosen says why. */
export function Times({ departures, chosen, onChoose, tour }: TimesProps) {
  const { words } = useSpeech();
  return (
    <section part="times" class="times" aria-labelledby="times-title">
      <h2 id="times-title">{words.times.title}</h2>
      <ul>
        {departures.map((departure) => (
          <li key={departure.id}>
            <Time
              departure={departure}
              isChosen={departure.id === chosen?.id}
              onChoose={onChoose}
              tour={tour}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface TimeProps {
  departure: Departure;
  isChosen: boolean;
  onChoose(time: string | null): void;
  tour: Tour;
}

function Time({ departure, isChosen, onChoose, tour }: TimeProps) {
  const speech = useSpeech();
  const { words, formats } = speech;
  const { start_time, tenant_prices, currency, seats_available } = departure;
  const state = stateOf(departure, tour);
  return (
    <button
      type="button"
      class="time"
      aria-pressed={isChosen}
      disabled={state !== 'open'}
      onClick={() => onChoose(start_time)}
    >
      <span class="clock">{start_time === null ? '–' : formats.time(start_time)}</span>
      <span class="price">
        {state === 'open'
          ? fill(words.calendar.from, {
              price: formats.money(tenant_prices[tour.categories[0]!.code]!, currency),
            })
          : words.calendar[state]}
      </span>
      {state === 'open' && hasFewLeft(departure, tour) && (
        <span class="few">{seatsLeft(seats_available, speech)}</span>
      )}
    </button>
  );
}
