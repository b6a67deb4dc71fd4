import type { Trx } from '../../platform/database/database';
import { AppError } from '../../platform/errors';
import type { PickupPoint } from './pickup-point';
import {
  deletePickupPoint,
  findToursOfPoint,
  lockPickupPoint,
  reviseToursOfPoint,
  storePickupPoint,
} from './pickup-point.repository';

/** The words of a point that a command changes. Undefined: it stays. Null clears it. */
export type PointChange = Partial<Omit<PickupPoint, 'code'>>;

/** A point before and after a change. */
export interface ChangedPoint {
  before: PickupPoint | null;
  after: PickupPoint | null;
}

/** Adds a point. @throws PickupPointExistsError */
export async function addPickupPoint(trx: Trx, point: PickupPoint): Promise<ChangedPoint> {
  if (await lockPickupPoint(trx, point.code)) throw new PickupPointExistsError(point.code);
  await storePickupPoint(trx, point);
  return { before: null, after: point };
}

/** Changes the words of a point. Bookings keep the words with which it was sold. @throws PickupPointNotFoundError */
export async function changePickupPoint(trx: Trx, code: string, change: PointChange): Promise<ChangedPoint> {
  const before = await knownPoint(trx, code);
  const after = { ...before, ...change };
  await storePickupPoint(trx, after);
  await reviseToursOfPoint(trx, code);
  return { before, after };
}

/** Removes a point that no tour names. Bookings keep it. @throws PickupPointNotFoundError, PickupPointInUseError */
export async function removePickupPoint(trx: Trx, code: string): Promise<ChangedPoint> {
  const before = await knownPoint(trx, code);
  const tours = await findToursOfPoint(trx, code);
  if (tours.length > 0) throw new PickupPointInUseError(code, tours);
  await deletePickupPoint(trx, code);
  return { before, after: null };
}

async function knownPoint(trx: Trx, code: string): Promise<PickupPoint> {
  const point = await lockPickupPoint(trx, code);
  if (!point) throw new PickupPointNotFoundError(code);
  return point;
}

class PickupPointExistsError extends AppError {
  readonly code = 'pickup_point_exists';

  constructor(point: string) {
    super(`There is a pickup point ${point} already: tourctl pickup set changes it`);
  }
}

export class PickupPointNotFoundError extends AppError {
  readonly code = 'pickup_point_not_found';

  constructor(point: string) {
    super(`There is no pickup point ${point}`);
  }
}

class PickupPointInUseError extends AppError {
  readonly code = 'pickup_point_in_use';

  constructor(
    point: string,
    private readonly tours: string[],
  ) {
    super(`Tours fetch guests at ${point}: take it from ${tours.slice(0, 5).join(', ')} first`);
  }

  override get facts(): Record<string, unknown> {
    return { tours: this.tours };
  }
}
