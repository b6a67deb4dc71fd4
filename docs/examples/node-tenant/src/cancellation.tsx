import { money } from './page.js';
import type { Booking, CancellationPolicy, CancellationQuote } from './tour-platform.js';

/** Shows what a cancellation refunds, before the customer buys. */
export function PolicyTerms({ policy: { tiers } }: { policy: CancellationPolicy }) {
  if (tiers.length === 0) return <p>The price is not refunded.</p>;
  return (
    <ul>
      {tiers.map(({ until, refund_percent }) => (
        <li>{`Until ${lengthOf(until)} before the start: ${refund_percent} % refunded`}</li>
      ))}
      <li>After that: nothing refunded</li>
    </ul>
  );
}

const UNITS = { m: 'minute', h: 'hour', d: 'day' } as const;

/** @param until such as 90m, 36h or 3d */
function lengthOf(until: string): string {
  const unit = UNITS[until.slice(-1) as keyof typeof UNITS];
  return new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' }).format(
    Number(until.slice(0, -1)),
  );
}

/** Shows what a cancellation refunds now, and sends it along: the platform refuses to cancel for another refund. */
export function RefundNow({ quote }: { quote: CancellationQuote }) {
  const { refund_amount, refund_percent, currency } = quote;
  if (refund_amount === null) return null;
  return (
    <>
      <p>
        {refund_amount === 0
          ? 'If you cancel now, nothing is refunded.'
          : `If you cancel now, we refund ${money(refund_amount, currency)} (${refund_percent} %).`}
      </p>
      <input type="hidden" name="expected_refund" value={refund_amount} />
    </>
  );
}

/** Shows the refund of a cancelled booking. The platform moves no money: pay it back here, with your payment provider. */
export function Refunded({ booking: { refund, currency } }: { booking: Booking }) {
  if (!refund) return null;
  return <p>{`Refunded: ${money(refund.amount, currency)} (${refund.percent} %)`}</p>;
}
