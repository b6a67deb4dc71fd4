import { useEffect, useState } from 'preact/hooks';
import { type Sale, type SaleTier, tiersAhead } from './cancellation-tiers.ts';
import { type Speech, useSpeech } from './speech.ts';
import type { CancellationTier, Tour } from './wire.ts';
import { fill } from './words/words.ts';

interface TermsProps {
  tour: Tour;
  /** Undefined: the visitor has not chosen a departure yet. */
  sale: Sale | undefined;
}

/** Shows the refunds of a cancellation, and the operator's own words about it. Renders no element for a tour that states neither. */
export function Terms({ tour, sale }: TermsProps) {
  const speech = useSpeech();
  const { words } = speech;
  const { cancellation, cancellation_policy } = tour;
  const dated = sale && tiersAhead(tour, sale, Date.now());
  useRenderAt(dated?.[0]?.endsAt);
  if (!cancellation && !cancellation_policy) return null;
  const texts = dated
    ? dated.map((tier) => datedText(tier, speech, tour, sale))
    : cancellation?.tiers.map((tier) => tierText(tier, speech));
  return (
    <section class="terms" aria-labelledby="terms-title">
      <h3 id="terms-title">{words.terms.title}</h3>
      {texts && (
        <ul>
          {texts.map((text) => (
            <li key={text}>{text}</li>
          ))}
          <li>{texts.length > 0 ? words.terms.after : words.terms.never}</li>
        </ul>
      )}
      {cancellation_policy && (
        <p class="own-words" dir="auto">
          {cancellation_policy}
        </p>
      )}
    </section>
  );
}

/** Returns a tier of the policy in words. */
function tierText({ until, refund_percent }: CancellationTier, { words, formats }: Speech): string {
  return fill(parseInt(until, 10) === 0 ? words.terms.untilStart : words.terms.until, {
    time: formats.duration(until),
    percent: formats.percent(refund_percent),
  });
}

/** Returns a tier in words, with the date and the amount that it has for a sale. */
function datedText(
  { endsAt, refund }: SaleTier,
  { words, formats }: Speech,
  { time_zone }: Tour,
  { currency }: Sale,
): string {
  return fill(words.terms.dated, {
    time: formats.instant(endsAt, time_zone),
    amount: formats.money(refund, currency),
  });
}

/** The longest time that a timer of a browser takes. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Shows the view again at an instant. */
function useRenderAt(instant: number | undefined): void {
  const [, setNow] = useState(0);
  useEffect(() => {
    if (instant === undefined) return undefined;
    const timer = setTimeout(() => setNow(Date.now()), Math.min(instant - Date.now(), TIMER_MAX_MS));
    return () => clearTimeout(timer);
  });
}
