import type { ComponentChildren } from 'preact';
import { depositOf } from './deposit.ts';
import type { Price } from './purchase.ts';
import { useSpeech } from './speech.ts';
import type { Departure, Tour } from './wire.ts';
import { fill } from './words/words.ts';

interface SplitProps {
  /** The deposit, in major units. */
  now: number | undefined;
  price: Price;
}

/** Shows what of a total is due now and what later, where both are something. */
export function Split({ now = 0, price: { total_price, currency } }: SplitProps) {
  const { words, formats } = useSpeech();
  if (now === 0 || now >= total_price) return null;
  const money = (amount: number) => formats.money(amount, currency);
  return <p class="detail">{fill(words.sale.split, { now: money(now), later: money(total_price - now) })}</p>;
}

interface PayProps {
  tour: Tour;
  departures: readonly Departure[];
  price: Price;
  /** True: the button of the step names the total, so that it is not shown twice. */
  isTotalNamed?: boolean;
  /** The button. */
  children: ComponentChildren;
}

/** Shows what is due now and what later, with the button of the step. A phone keeps it in sight. */
export function Pay({ tour, departures, price, isTotalNamed, children }: PayProps) {
  const { words, formats } = useSpeech();
  const { total_price, currency } = price;
  const now = depositOf(total_price, currency, tour, departures);
  return (
    <div part="pay" class="pay">
      {!isTotalNamed && (
        <p part="total" class="total">
          <span>{words.party.total}</span>
          <output>{formats.money(total_price, currency)}</output>
        </p>
      )}
      <Split now={now} price={price} />
      {children}
    </div>
  );
}
