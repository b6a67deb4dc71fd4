import { useEffect, useRef } from 'preact/hooks';
import { Button } from './parts.tsx';
import type { Refusal } from './purchase.ts';
import { departureText } from './departure-text.ts';
import { useSpeech } from './speech.ts';
import type { Alternative, Problem } from './wire.ts';
import type { Words } from './words/en.ts';
import { fill } from './words/words.ts';

type Text = Exclude<keyof Words['problem'], 'again' | 'alternatives' | 'alternative' | 'close'>;

/** The text of each problem that a visitor can meet. All others are faults of the site: `failed`. */
const TEXTS: Record<string, Text> = {
  network: 'network',
  no_cookies: 'noCookies',
  rate_limited: 'busy',
  departure_busy: 'busy',
  idempotency_in_progress: 'busy',
  overloaded: 'busy',
  shutting_down: 'busy',
  tour_not_found: 'noTour',
  departure_gone: 'gone',
  departure_cancelled: 'cancelled',
  insufficient_seats: 'tooFew',
  hold_limit_reached: 'limit',
  hold_expired: 'holdOver',
  hold_not_found: 'holdOver',
  hold_state_conflict: 'holdOver',
  price_changed: 'price',
  validation_failed: 'invalid',
  body_too_large: 'tooLong',
};

/** From this wait on the text says how long it is, in seconds. */
const LONG_WAIT = 90;

/** Returns the key of the text for a problem. */
export function textOf({ code, retryAfter = 0, alternatives, seatsAvailable }: Problem): Text {
  const text = TEXTS[code] ?? 'failed';
  if (text === 'busy' && retryAfter >= LONG_WAIT) return 'wait';
  if (text === 'tooFew' && seatsAvailable === 0) return alternatives.length > 0 ? 'soldOut' : 'allSold';
  return text;
}

/** The problems after which the same call may succeed: the visitor can try again with one click. */
const AGAIN: readonly Text[] = ['network', 'busy', 'failed'];

export interface ProblemBoxProps {
  refusal: Refusal;
  isOff: boolean;
  onAgain(): void;
  onAlternative?(alternative: Alternative): void;
}

/** Says in words why a call was refused, with the next step to click. Takes the focus. */
export function ProblemBox({ refusal, isOff, onAgain, onAlternative }: ProblemBoxProps) {
  const { words, formats } = useSpeech();
  const box = useRef<HTMLDivElement>(null);
  const { task, problem } = refusal;
  useEffect(() => {
    // The fields with a fault take the focus themselves. A page that has just been opened keeps its own.
    if (task !== 'load' && problem.faults.length === 0) box.current?.focus();
  }, [refusal]);
  const text = textOf(problem);
  const values = {
    number: formats.number(problem.seatsAvailable ?? 0),
    minutes: formats.number(Math.ceil((problem.retryAfter ?? 0) / 60)),
  };
  return (
    <div ref={box} part="problem" class="problem" role="group" tabIndex={-1} data-code={problem.code}>
      <p>{fill(words.problem[text], values)}</p>
      {onAlternative && problem.alternatives.length > 0 && (
        <Alternatives alternatives={problem.alternatives} onChoose={onAlternative} />
      )}
      {AGAIN.includes(text) && (
        <Button isSecondary isOff={isOff} onClick={onAgain}>
          {words.problem.again}
        </Button>
      )}
    </div>
  );
}

interface AlternativesProps {
  alternatives: readonly Alternative[];
  onChoose(alternative: Alternative): void;
}

function Alternatives({ alternatives, onChoose }: AlternativesProps) {
  const { words, formats } = useSpeech();
  return (
    <>
      <p>{words.problem.alternatives}</p>
      <ul class="alternatives">
        {alternatives.map((one) => (
          <li key={`${one.departure_date} ${one.departure_time}`}>
            <Button isSecondary onClick={() => onChoose(one)}>
              {fill(words.problem.alternative, {
                departure: departureText(one, formats),
                number: formats.number(one.seats_available),
              })}
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}
