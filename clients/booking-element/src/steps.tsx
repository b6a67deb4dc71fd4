import { useSpeech } from './speech.ts';

/** The steps of a purchase, in their order. */
const STEPS = ['date', 'guests', 'details', 'pay'] as const;

/** Shows how far the purchase has come. @param current undefined: each step is done */
export function Steps({ current }: { current: (typeof STEPS)[number] | undefined }) {
  const { words } = useSpeech();
  const names = { date: words.summary.date, guests: words.summary.party, ...words.steps };
  const reached = current === undefined ? STEPS.length : STEPS.indexOf(current);
  return (
    <ol part="steps" class="steps">
      {STEPS.map((step, place) => (
        <li
          key={step}
          class={place <= reached ? 'reached' : undefined}
          aria-current={step === current ? 'step' : undefined}
        >
          {names[step]}
        </li>
      ))}
    </ol>
  );
}
