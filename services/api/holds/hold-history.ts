import type { Db } from '../../platform/database';
import { HoldExpiredError, HoldStateConflictError } from './hold.errors';
import { describeChange, valueBefore } from '../sales/changed-fields';
import { partyOfHold, type SeatHold } from './seat-hold';
import { findExtensions, findHoldChanges } from './seat-hold.repository';

/** One event in the life of a hold. */
export interface HoldMoment {
  at: Date;
  event: 'placed' | 'extended' | 'changed' | 'consumed' | 'released' | 'hold expired';
  /** Null: the clock, or unknown. */
  by: string | null;
  detail: string | null;
}

/** Returns the hold's events, the oldest first. */
export async function holdHistory(db: Db, hold: SeatHold): Promise<HoldMoment[]> {
  const extensions = await findExtensions(db, hold.id);
  const changes = await findHoldChanges(db, hold.id);
  const { adult, child } = partyOfHold(hold);
  const quantity = valueBefore(changes, 'adults', adult) + valueBefore(changes, 'children', child);
  const seats = `${quantity} ${quantity === 1 ? 'seat' : 'seats'}`;
  return [
    { at: hold.createdAt, event: 'placed', by: hold.placedBy, detail: seats },
    ...[
      ...extensions.map(({ at, expiresAt, by }) => ({
        ...{ at, event: 'extended' as const, by },
        detail: `until ${expiresAt.toISOString()}`,
      })),
      ...changes.map(({ at, by, fields }) => ({
        ...{ at, event: 'changed' as const, by, detail: describeChange(fields) },
      })),
    ].sort((a, b) => a.at.getTime() - b.at.getTime()),
    ...ending(hold),
  ];
}

function ending(hold: SeatHold): HoldMoment[] {
  const { status, expiresAt, endedAt, endedBy: by } = hold;
  const at = endedAt ?? expiresAt;
  if (status === 'active') return [];
  if (status === 'released') return [{ at, event: 'released', by, detail: 'its seats went back' }];
  if (status === 'converted') return [{ at, event: 'consumed', by, detail: 'became a booking' }];
  return [{ at: expiresAt, event: 'hold expired', by: null, detail: 'its seats went back' }];
}

/** Returns the error that a booking with this hold would get now; undefined when it would succeed. */
export function refusalOf({ status }: SeatHold): { code: string; message: string } | undefined {
  if (status === 'active') return undefined;
  const { code, message } =
    status === 'expired' ? new HoldExpiredError() : new HoldStateConflictError(status);
  return { code, message };
}
