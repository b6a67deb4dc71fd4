import { flag } from './command';
import { UsageError } from './failure';
import { signedAmount, line } from './values';

/** The most characters of the reason of an adjustment. */
const ADJUST_REASON_MAX = 200;

export const ADJUST_FLAG = flag(
  '--adjust <amount>',
  "a line of the price beside the categories, in the sale's currency, such as -20 for a discount; 0 is none",
  { parse: signedAmount },
);

export const ADJUST_REASON_FLAG = flag('--reason <text>', 'why the price is adjusted', {
  parse: line(ADJUST_REASON_MAX),
});

/** The reason of a sale, for its adjustment and its added seats. */
export const SALE_REASON_FLAG = flag('--reason <text>', 'why the price is adjusted, or seats are added', {
  parse: line(ADJUST_REASON_MAX),
});

/** The reason of added seats. */
export const SEATS_REASON_FLAG = flag('--reason <text>', 'why seats are added', {
  parse: line(ADJUST_REASON_MAX),
});

/** The flags of a change that needs a reason. */
export interface ReasonedOptions {
  /** Decimal text in major units. */
  adjust?: string;
  addSeats?: boolean;
  reason?: string;
}

/** Refuses an adjustment or added seats without a reason, and a reason for nothing. @throws UsageError */
export function checkReason({ adjust, addSeats = false, reason }: ReasonedOptions): void {
  const adjusts = adjust !== undefined && Number(adjust) !== 0;
  if (adjusts && reason === undefined) throw new UsageError('--reason is missing: why the price is adjusted');
  if (addSeats && reason === undefined) throw new UsageError('--reason is missing: why seats are added');
  if (adjust === undefined && !addSeats && reason !== undefined)
    throw new UsageError('--reason is the reason of --adjust or --add-seats: give it with one of them');
}
