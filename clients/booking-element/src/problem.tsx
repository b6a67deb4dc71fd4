import { useEffect, useRef } from 'preact/hooks';
import { departureText } from './departure-text.ts';
import { Button } from './parts.tsx';
import { AGAIN, textOf } from './problem-texts.ts';
import type { Refusal } from './purchase.ts';
import { seatsLeft, useSpeech } from './speech.ts';
import type { Alternative } from './wire.ts';
import { fill } from './words/words.ts';

export interface ProblemBoxProps {
  refusal: Refusal;
  isOff: boolean;
  onAgain(): void;
  onAlternative?(alternative: Alternative): void;
}

/** Says in words why a call was refused, with the next step to click. Takes the focus. */
export function ProblemBox({ refusal, isOff, onAgain, onAlternative }: ProblemBoxProps) {
  const speech = useSpeech();
  const { words, formats } = speech;
  const box = useRef<HTMLDivElement>(null);
  const { task, problem } = refusal;
  const { alternatives = [] } = problem;
  useEffect(() => {
    // Refused fields take the focus themselves. A page that has just been opened keeps its own.
    if (task !== 'load' && !problem.errors?.length) box.current?.focus();
  }, [refusal]);
  const text = textOf(problem);
  const texts = {
    ...words.problem,
    soldOut: words.calendar.soldOut,
    cancelled: words.calendar.cancelled,
    tooFew: seatsLeft(problem.seats_available ?? 0, speech),
  };
  const minutes = formats.number(Math.ceil((problem.retryAfter ?? 0) / 60));
  return (
    <div ref={box} part="problem" class="problem" role="group" tabIndex={-1} data-code={problem.code}>
      <p>{fill(texts[text], { minutes })}</p>
      {onAlternative && alternatives.length > 0 && (
        <Alternatives alternatives={alternatives} onChoose={onAlternative} />
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
  const speech = useSpeech();
  const { words, formats } = speech;
  return (
    <>
      <p>{words.problem.alternatives}</p>
      <ul class="alternatives">
        {alternatives.map((one) => (
          <li key={`${one.departure_date} ${one.departure_time}`}>
            <Button isSecondary onClick={() => onChoose(one)}>
              <span>{departureText(one, formats)}</span>
              <span class="detail">{seatsLeft(one.seats_available, speech)}</span>
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}
