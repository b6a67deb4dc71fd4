import { useEffect, useRef } from 'preact/hooks';
import { departureText } from './departure-text.ts';
import { Button } from './parts.tsx';
import { AGAIN, textOf } from './problem-texts.ts';
import type { Purchase, PurchaseEvent } from './purchase.ts';
import { seatsLeft, useSpeech } from './speech.ts';
import type { Alternative } from './wire.ts';
import { fill } from './words/words.ts';

export interface RefusedProps {
  purchase: Purchase;
  dispatch(event: PurchaseEvent): void;
  onAgain(): void;
}

/** Says in words why the last call was refused, with the next step to click. Takes the focus. Renders no element without a refusal. */
export function Refused({ purchase: { refusal, task, isTouched }, dispatch, onAgain }: RefusedProps) {
  const speech = useSpeech();
  const { words, formats } = speech;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Refused fields take the focus themselves. A page that has just been opened keeps its own.
    if (isTouched && !refusal?.problem.errors?.length) box.current?.focus();
  }, [refusal]);
  if (!refusal) return null;
  const { problem } = refusal;
  const { alternatives = [] } = problem;
  const text = textOf(problem);
  const texts = {
    ...words.problem,
    soldOut: words.calendar.soldOut,
    tooFew: seatsLeft(problem.seats_available ?? 0, speech),
  };
  const choose =
    ({ departure_date: date, departure_time: time }: Alternative) =>
    () =>
      dispatch({ type: 'chosen', date, time, isOffered: true });
  const minutes = formats.number(Math.ceil((problem.retryAfter ?? 0) / 60));
  return (
    <div ref={box} part="problem" class="problem" role="group" tabIndex={-1} data-code={problem.code}>
      <p>{fill(texts[text], { minutes })}</p>
      {alternatives.length > 0 && (
        <>
          <p>{words.problem.alternatives}</p>
          <ul class="alternatives">
            {alternatives.map((one) => (
              <li key={`${one.departure_date} ${one.departure_time}`}>
                <Button isSecondary onClick={choose(one)}>
                  <span>{departureText(one, formats)}</span>
                  <span class="detail">{seatsLeft(one.seats_available, speech)}</span>
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
      {AGAIN.includes(text) && (
        <Button isSecondary isOff={task !== undefined} onClick={onAgain}>
          {words.problem.again}
        </Button>
      )}
    </div>
  );
}
