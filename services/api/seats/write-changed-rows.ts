import type { Decided } from './decided';
import type { StoredColumns } from '../../platform/database/row-description';

/** A part of the statement: common table expressions and their values. A part without rows is left out. */
export interface Part {
  rows: number;
  sql: string;
  values: Record<string, unknown>;
  /** Name of the common table expression that must return exactly `rows` rows. Undefined: the number is not checked. */
  counted?: string;
}

/** Returns the parts that write the rows of a change of a stored hold or booking. Empty: the change writes new rows only, or none. */
export function changedRows({ hold, octo, lead }: Decided<unknown>): Part[] {
  if (!hold && !octo && !lead) return [];
  return [
    changedRow('changedHold', 'seat_holds', hold),
    changedRow('changedOcto', 'octo_bookings', octo, 'hold_id'),
    extension(hold),
    historyOfHold(hold),
    changedRow('changedLead', 'booking_leads', lead),
    changedRow('changedAnswers', 'booking_answers', answersOf(lead), 'lead_id'),
    historyOfLead(lead),
  ];
}

function answersOf(lead: Decided<unknown>['lead']) {
  return lead?.answers && { id: lead.id, columns: lead.answers };
}

/** Updates the given columns of one row. The text of the statement depends on the names of the columns alone. */
function changedRow(
  name: string,
  table: 'seat_holds' | 'octo_bookings' | 'booking_leads' | 'booking_answers',
  row: { id: string | number; columns: StoredColumns } | undefined,
  key = 'id',
): Part {
  const given = Object.entries(row?.columns ?? {}).filter(([, value]) => value !== undefined);
  const set = given.map(([column]) => `${column} = n.${column}`);
  return {
    rows: row && set.length > 0 ? 1 : 0,
    counted: name,
    sql: `"${name}" as (
      update ${table} o set ${set.join(', ')} from json_populate_record(null::${table}, :${name}::json) n
      where o.${key} = :${name}Id returning 1)`,
    values: { [name]: JSON.stringify(Object.fromEntries(given)), [`${name}Id`]: row?.id },
  };
}

function extension(hold: Decided<unknown>['hold']): Part {
  const { id, extension: extended } = hold ?? {};
  return {
    rows: extended ? 1 : 0,
    sql: `extension as (
      insert into hold_extensions (hold_id, at, expires_at, by)
      values (:extended_id::uuid, :at::timestamptz, :extended_until::timestamptz, :extended_by))`,
    values: { extended_id: id, extended_until: extended?.expiresAt, extended_by: extended?.by },
  };
}

function historyOfHold(hold: Decided<unknown>['hold']): Part {
  const { id, change } = hold ?? {};
  return {
    rows: change ? 1 : 0,
    sql: `hold_change as (
      insert into hold_changes (hold_id, at, by, fields)
      values (:hold_change_id, :at::timestamptz, :hold_change_by, :hold_change_fields::json))`,
    values: {
      hold_change_id: id,
      hold_change_by: change?.by,
      hold_change_fields: JSON.stringify(change?.fields),
    },
  };
}

function historyOfLead(lead: Decided<unknown>['lead']): Part {
  const { id, change } = lead ?? {};
  return {
    rows: change ? 1 : 0,
    sql: `lead_change as (
      insert into booking_changes (lead_id, at, by, fields, refund_percent, refund_minor)
      values (:lead_change_id, :at::timestamptz, :lead_change_by, :lead_change_fields::json,
        :lead_change_percent::smallint, :lead_change_refund::bigint))`,
    values: {
      lead_change_id: id,
      lead_change_by: change?.by,
      lead_change_fields: JSON.stringify(change?.fields),
      lead_change_percent: change?.refund?.percent ?? null,
      lead_change_refund: change?.refund?.minor ?? null,
    },
  };
}
