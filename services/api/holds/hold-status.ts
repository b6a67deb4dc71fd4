import { HoldExpiredError, HoldStateConflictError } from './hold.errors';
import type { OctoBookingStatus } from './octo-booking';

/** The status of a hold by the database's clock (HOLD_STATUS of seat-hold.repository.ts). */
export type HoldStatus = 'active' | 'released' | 'expired' | 'converted';

/** The code of the error that refuses an action. */
type Refusal = 'hold_expired' | 'hold_state_conflict';

/** A status, and the outcome of each action in it: the next status, `stay` if the action changes nothing, or the refusal. */
interface HoldStatusRow {
  /** True: the hold keeps its seats. hold_takes_seats (0161_statuses.sql) says the same of the stored status. */
  takesSeats: boolean;
  octo: OctoBookingStatus;
  book: 'converted' | Refusal;
  /** A change of the date, the party or the customer, or of the end. */
  change: 'active' | Refusal;
  release: 'released' | 'stay' | Refusal;
  /** The erasure of its customer. A hold that became a booking loses its customer with the booking. */
  erase: HoldStatus | Refusal;
}

type HoldAction = 'book' | 'change' | 'release' | 'erase';

/** @rule what each action does in a status of a hold: test/api/statuses.test.ts */
export const HOLD_STATUSES: Record<HoldStatus, HoldStatusRow> = {
  active: {
    takesSeats: true,
    octo: 'ON_HOLD',
    book: 'converted',
    change: 'active',
    release: 'released',
    erase: 'active',
  },
  released: {
    takesSeats: false,
    octo: 'CANCELLED',
    book: 'hold_state_conflict',
    change: 'hold_state_conflict',
    release: 'stay',
    erase: 'released',
  },
  expired: {
    takesSeats: false,
    octo: 'EXPIRED',
    book: 'hold_expired',
    change: 'hold_expired',
    release: 'stay',
    erase: 'expired',
  },
  converted: {
    takesSeats: false,
    octo: 'CONFIRMED',
    book: 'hold_state_conflict',
    change: 'hold_state_conflict',
    release: 'hold_state_conflict',
    erase: 'hold_state_conflict',
  },
};

/** Returns true if the hold keeps its seats. */
export function isLive({ status }: { status: HoldStatus }): boolean {
  return HOLD_STATUSES[status].takesSeats;
}

/** Returns true if a booking has consumed the hold. */
export function isConsumed({ status }: { status: HoldStatus }): boolean {
  return status === 'converted';
}

/** The statuses of holds that have ended without a booking: such a hold keeps its status when its customer is erased. */
export const ENDED_STATUSES = (Object.keys(HOLD_STATUSES) as HoldStatus[]).filter(
  (status) => !HOLD_STATUSES[status].takesSeats && HOLD_STATUSES[status].erase === status,
);

/** Returns the error that refuses the action in the hold's status. Undefined: the hold allows it. */
export function holdRefusal(
  { status }: { status: HoldStatus },
  action: HoldAction,
): HoldExpiredError | HoldStateConflictError | undefined {
  switch (HOLD_STATUSES[status][action]) {
    case 'hold_expired':
      return new HoldExpiredError();
    case 'hold_state_conflict':
      return new HoldStateConflictError(status);
    default:
      return undefined;
  }
}

/**
 * Returns the status of the hold after the action; `stay`: the action changes nothing.
 * @throws HoldExpiredError, HoldStateConflictError (409)
 */
export function holdOutcome<Action extends HoldAction>(
  hold: { status: HoldStatus },
  action: Action,
): Exclude<HoldStatusRow[Action], Refusal> {
  const refusal = holdRefusal(hold, action);
  if (refusal) throw refusal;
  return HOLD_STATUSES[hold.status][action] as Exclude<HoldStatusRow[Action], Refusal>;
}
