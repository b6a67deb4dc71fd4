import type { Db } from '../../platform/database';
import type { PriceRule } from './price-rule';

const COLUMNS = [
  'id',
  'tour_id',
  'continent',
  'kind',
  'percent',
  'amount_minor',
  'currency',
  'travel_from',
  'travel_to',
  'round_to',
];

/** A tenant's rules that can concern any of these tours. */
export async function findPriceRules(db: Db, tenantId: string, tourIds: string[]): Promise<PriceRule[]> {
  const rows: PriceRuleRow[] = await db("price_rules")
    .select(COLUMNS)
    .where('tenant_id', tenantId)
    .where((scope) => scope.whereNull('tour_id').orWhereIn('tour_id', tourIds));
  return rows.map(toPriceRule);
}

interface PriceRuleRow {
  id: number;
  tenant_id: string;
  tour_id: string | null;
  continent: string | null;
  kind: PriceRule['kind'];
  percent: string | null;
  amount_minor: number | null;
  currency: string | null;
  travel_from: string | null;
  travel_to: string | null;
  round_to: string | null;
}

function toPriceRule(row: PriceRuleRow): PriceRule {
  return {
    id: row.id,
    tourId: row.tour_id,
    continent: row.continent,
    kind: row.kind,
    percent: row.percent,
    amountMinor: row.amount_minor,
    currency: row.currency,
    travelFrom: row.travel_from,
    travelTo: row.travel_to,
    roundTo: row.round_to,
  };
}
