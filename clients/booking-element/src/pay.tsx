import type { ComponentChildren } from 'preact';
import { depositOf } from './deposit.ts';
import { useSpeech } from './speech.ts';
import type { Departure, Tour } from './wire.ts';
import { fill } from './words/words.ts';

interface SplitProps {
  /** The deposit. */
  now: number | undefined;
  total: number;
  currency: string;
}

/** Shows what of a total is due now and what later, where both are something. Amounts are in major units. */
export function Split({ now = 0, total, currency }: SplitProps) {
  const { words, formats } = useSpeech();
  if (now === 0 || now >= total) return null;
  const [due, later] = [now, total - now].map((amount) => formats.money(amount, currency));
  return <p class="detail">{fill(words.sale.split, { now: due!, later: later! })}</p>;
}

interface PayProps {
  tour: Tour;
  departures: readonly Departure[];
  /** In major units. */
  total: number;
  currency: string;
  /** True: the button of the step names the total, so that it is not shown twice. */
  isTotalNamed?: boolean;
  /** The button. */
  children: ComponentChildren;
}

/** Shows what is due now and what later, with the button of the step. A phone keeps it in sight. */
export function Pay({ tour, departures, total, currency, isTotalNamed, children }: PayProps) {
  const { words, formats } = useSpeech();
  const now = depositOf(total, currency, tour, departures);
  return (
    <div part="pay" class="pay">
      {!isTotalNamed && (
        <p part="total" class="total">
          <span>{words.party.total}</span>
          <output>{formats.money(total, currency)}</output>
        </p>
      )}
      <Split now={now} total={total} currency={currency} />
      {children}
    </div>
  );
}
