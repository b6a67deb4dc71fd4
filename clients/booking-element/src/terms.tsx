import { useSpeech } from './speech.ts';
import type { Tour } from './wire.ts';
import { fill } from './words/words.ts';

/** Shows the refunds of a cancellation, and the operator's own words about it. Renders no element for a tour that states neither. */
export function Terms({ tour: { cancellation, cancellation_policy } }: { tour: Tour }) {
  const { words, formats } = useSpeech();
  if (!cancellation && !cancellation_policy) return null;
  return (
    <section class="terms" aria-labelledby="terms-title">
      <h3 id="terms-title">{words.terms.title}</h3>
      {cancellation && (
        <ul>
          {cancellation.tiers.map(({ until, refund_percent }) => (
            <li key={until}>
              {fill(parseInt(until, 10) === 0 ? words.terms.untilStart : words.terms.until, {
                time: formats.duration(until),
                percent: formats.percent(refund_percent),
              })}
            </li>
          ))}
          <li>{cancellation.tiers.length > 0 ? words.terms.after : words.terms.never}</li>
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
