import type { Trx } from '../../platform/database/database';
import type { LockedDeparture } from '../departures/departure';
import type { ExpiredSeats } from '../departures/mark-expired-seats';
import type { Trips } from '../resources/trips';
import type { ChangedDate } from './after-commit';

/**
 * A change of departures by an operator or by the sweeper: of a departure itself, or of all its holds and bookings, whatever their tenants are.
 * The engine performs it in the steps of a SeatChange, but waits for its locks, and `change` may write in several statements.
 * changes/ has a file for each.
 */
export interface BulkChange<Result = unknown> {
  /** The departures that it locks. Empty: it changes bookings without a date. */
  departureIds: string[];
  /** True: it takes seats or changes trips, so it locks the resources that the departures use. */
  locksResources?: true;
  /** The resources that the departures will use, which it locks too. */
  newResourceIds?: string[];
  /** Decides by the facts that were read under the locks, and writes. @throws AppError: the refusal */
  change(trx: Trx, facts: BulkFacts): Promise<BulkResult<Result>>;
}

export interface BulkFacts {
  /** The database's clock reading at which the seats were counted, with microseconds. */
  at: string;
  /** Each locked departure twice: with its real seats, and with those of the sandbox. The map key is countedKey. */
  departures: Map<string, LockedDeparture>;
  /** The trips of the resources, if the change locks them. */
  trips: Trips;
  /** The holds and bookings of the departures that this transaction has marked as expired. */
  expired: ExpiredSeats;
}

export interface BulkResult<Result> {
  result: Result;
  /** The dates whose seats it changes. The engine adds those whose expired seats it has found free. */
  changed: ChangedDate[];
}

/** Changes nothing. */
export const NO_CHANGE: BulkChange<undefined> = {
  departureIds: [],
  change: async () => ({ result: undefined, changed: [] }),
};
