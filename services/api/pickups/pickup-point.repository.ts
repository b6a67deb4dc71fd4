import type { Db, Trx } from '../../platform/database/database';
import type { PickupPoint } from './pickup-point';

const POINT = `json_build_object('code', p.code, 'name', p.name, 'address', p.address, 'lat', p.lat, 'lng', p.lng,
  'directions', p.directions, 'google_place_id', p.google_place_id, 'translations', p.translations) as point`;

/** Returns the points after a code, by code. */
export async function findPickupPoints(
  db: Db,
  { after, limit }: { after?: string; limit: number },
): Promise<PickupPoint[]> {
  const { rows } = await db.raw<{ rows: { point: PickupPoint }[] }>(
    `select ${POINT} from pickup_points p where p.code > :after order by p.code limit :limit`,
    { after: after ?? '', limit },
  );
  return rows.map(({ point }) => point);
}

export async function hasPickupPoint(db: Db, code: string): Promise<boolean> {
  return (await db('pickup_points').where({ code }).first(db.raw('1'))) !== undefined;
}

/** Locks a point until the transaction ends, and returns it. */
export async function lockPickupPoint(trx: Trx, code: string): Promise<PickupPoint | undefined> {
  const { rows } = await trx.raw<{ rows: { point: PickupPoint }[] }>(
    `select ${POINT} from pickup_points p where p.code = :code for update`,
    { code },
  );
  return rows[0]?.point;
}

/** Inserts a point, or replaces that with its code. */
export async function storePickupPoint(trx: Trx, { translations, ...point }: PickupPoint): Promise<void> {
  await trx('pickup_points')
    .insert({ ...point, translations: JSON.stringify(translations) })
    .onConflict('code')
    .merge();
}

export async function deletePickupPoint(trx: Trx, code: string): Promise<void> {
  await trx('pickup_points').where({ code }).delete();
}

const NAMES_POINT = `t.pickup -> 'points' @> jsonb_build_array(jsonb_build_object('point', :code::text))`;

/** Returns the slugs of the tours that fetch guests at the point, by slug. */
export async function findToursOfPoint(db: Db, code: string): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { slug: string }[] }>(
    `select t.slug from tours t where ${NAMES_POINT} order by t.slug`,
    { code },
  );
  return rows.map(({ slug }) => slug);
}

/** Raises the revision of the tours that fetch guests at the point: their answers change. */
export async function reviseToursOfPoint(trx: Trx, code: string): Promise<void> {
  await trx.raw(
    `update tours t set revision = t.revision + 1, updated_at = clock_timestamp() where ${NAMES_POINT}`,
    { code },
  );
}
