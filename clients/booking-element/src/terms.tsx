import { useEffect, useState } from 'preact/hooks';
import { type Sale, type SaleTier, tiersAhead } from './cancellation-tiers.ts';
import { DAY_MS } from './local-time.ts';
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
  const now = Date.now() - tour.clockAhead;
  const dated = sale && tiersAhead(tour, sale, now);
  useRenderAfter((dated?.[0]?.endsAt ?? Infinity) - now);
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
      {cancellation_policy && <p dir="auto">{cancellation_policy}</p>}
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

/** Shows the view again after so many milliseconds, or after a day: a timer of a browser takes 24 days at most. */
function useRenderAfter(wait: number): void {
  const [, setNow] = useState(0);
  useEffect(() => {
    const timer = setTimeout(() => setNow(Date.now()), Math.min(wait, DAY_MS));
    return () => clearTimeout(timer);
  });
}
