import type { Db } from '../../platform/database/database';

interface PlacedByOcto {
  /** The fingerprint of the request (idempotency/fingerprint.ts); null after anonymization. */
  fingerprint: Buffer | null;
}

/** @param uuid in lower case */
export async function findPlacedByOcto(
  db: Db,
  tenantId: string,
  uuid: string,
): Promise<PlacedByOcto | undefined> {
  return db('octo_bookings')
    .where({ tenant_id: tenantId, uuid })
    .first<PlacedByOcto | undefined>({ fingerprint: 'request_digest' });
}

export interface OctoFilter {
  resellerReference?: string;
  supplierReference?: string;
  /** Inclusive dates of departure. */
  from?: string;
  to?: string;
  /** Only holds without a lead, or only leads. */
  only?: 'holds' | 'leads';
  limit: number;
}

const CONDITIONS: { [F in keyof OctoFilter]?: string } = {
  resellerReference:
    'case when l.id is null then h.external_ref else l.external_ref end = :resellerReference',
  supplierReference: 'l.booking_ref = :supplierReference',
  from: 'o.departure_date >= :from::date',
  to: 'o.departure_date <= :to::date',
};

const ONLY = { holds: 'l.id is null', leads: 'l.id is not null' };

/**
 * Selects the holds that can have the reference, so that the search uses an index of each table. CONDITIONS then compares the reference of
 * each selected booking.
 */
const OF_REFERENCE: { [F in keyof OctoFilter]?: string } = {
  resellerReference: `o.hold_id in (
    select id from seat_holds where tenant_id = :tenantId and external_ref = :resellerReference
    union select hold_id from booking_leads where tenant_id = :tenantId and external_ref = :resellerReference)`,
  supplierReference: `o.hold_id in (select hold_id from booking_leads where booking_ref = :supplierReference)`,
};

/** Returns the hold ids of the matching OCTO bookings, newest first. If more than `limit` match, returns an arbitrary part of them. */
export async function findOctoHolds(db: Db, tenantId: string, filter: OctoFilter): Promise<string[]> {
  const given = (Object.keys(filter) as (keyof OctoFilter)[]).filter((name) => filter[name] !== undefined);
  const conditions = [
    'o.tenant_id = :tenantId',
    ...given.flatMap((name) => [OF_REFERENCE[name], CONDITIONS[name]].filter((one) => one !== undefined)),
    ...(filter.only ? [ONLY[filter.only]] : []),
  ];
  const { rows } = await db.raw(
    `select id from (
       select h.id, h.created_at
       from octo_bookings o
         join seat_holds h on h.id = o.hold_id
         left join booking_leads l on l.hold_id = h.id
       where ${conditions.join(' and ')}
       limit :limit) found
     order by created_at desc, id`,
    { tenantId, ...filter },
  );
  return rows.map(({ id }: { id: string }) => id);
}
