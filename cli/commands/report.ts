import {
  type AdjustedSale,
  type DateBasis,
  findAdjustedSales,
  type ReportGroup,
  REFUND_DATE_BASIS,
  REPORT_GROUPS,
  reportSales,
  type SalesRow,
} from '../../services/api/bookings/sales-report.repository';
import { toMajor } from '../../services/api/pricing/currency';
import { describeParty } from '../../services/api/parties/party';
import { findTenant } from '../../services/api/tenants/manage-tenants';
import { ANY_TENANT } from '../../services/api/tenants/tenant';
import { csvLine } from '../../services/platform/csv-cells';
import { flag, type Verb } from '../engine/command';
import type { Context } from '../engine/context';
import { UsageError } from '../engine/failure';
import { CSV_FLAG, TENANT_FLAG } from '../engine/list';
import { addParties } from '../engine/party';
import { formatMoney, travelDate } from '../engine/values';
import type { Screen } from '../terminal/screen';
import { type ItemColumn, sections, tableOf } from '../terminal/table';

/** The value of --by that makes the date of departure the basis of the report. */
const BY_DEPARTURE = 'departure';

export const reportVerbs: Verb[] = [
  {
    usage: 'sales',
    about:
      'Sum the bookings that were created in a period (or depart, with --by departure), by tenant, month and currency; cancelled, expired, imported and sandbox bookings are left out',
    flags: [
      flag('--from <date>', 'the first day (UTC; with --by departure, of the tours)', {
        parse: travelDate,
        must: true,
      }),
      flag('--to <date>', 'the last day, included', { parse: travelDate, must: true }),
      TENANT_FLAG,
      flag(
        '--by <group>',
        'a row for each of these and currency, not for each tenant, month and currency; departure counts by date of departure, not of creation',
        { choices: [...REPORT_GROUPS, BY_DEPARTURE], repeats: true },
      ),
      flag(
        '--refunds',
        'also the refunds of the bookings that were cancelled, or whose total fell, on these days (UTC), with --by departure too',
      ),
      flag('--imported', 'count the bookings of booking import too'),
      CSV_FLAG,
    ],
    check: checkPeriod,
    examples: [
      'report sales --from 2027-05-01 --to 2027-05-31',
      'report sales --from 2027-01-01 --to 2027-12-31 --by tenant --csv',
      'report sales --from 2027-06-01 --to 2027-06-30 --by tour,departure',
      'report sales --from 2027-05-01 --to 2027-05-31 --refunds',
    ],
    run: reportSalesCommand,
  },
  {
    usage: 'adjustments',
    about:
      'List the bookings with an adjustment of their price that were created in a period, in any status; sandbox bookings are left out',
    flags: [
      flag('--from <date>', 'the first day (UTC)', { parse: travelDate, must: true }),
      flag('--to <date>', 'the last day, included', { parse: travelDate, must: true }),
      TENANT_FLAG,
      CSV_FLAG,
    ],
    check: checkPeriod,
    examples: ['report adjustments --from 2027-05-01 --to 2027-05-31'],
    run: reportAdjustmentsCommand,
  },
];

interface Period {
  from: string;
  to: string;
}

function checkPeriod({ from, to }: Period): void {
  if (from > to) throw new UsageError('--to must not be before --from');
}

interface ReportOptions extends Period {
  tenant?: string;
  by?: (ReportGroup | typeof BY_DEPARTURE)[];
  refunds?: boolean;
  imported?: boolean;
  csv?: boolean;
}

/** The choice of a report's rows, and their columns. */
interface ReportForm {
  groups: readonly ReportGroup[];
  basis: DateBasis;
  refunds: boolean;
}

const AMOUNTS = ['platform_total', 'tenant_total', 'deposit_total'] as const;

async function reportSalesCommand(
  { db, output }: Context,
  { from, to, tenant: slug, by = [], refunds = false, imported = false, csv = false }: ReportOptions,
): Promise<void> {
  const tenant = slug === undefined ? undefined : await findTenant(db, slug);
  const form = { ...readGroups(by), refunds };
  const sales = await reportSales(db, { scope: tenant?.id ?? ANY_TENANT, from, to, imported, ...form });
  const rows = sales.map(toReportDocument);
  const answer = { ...datesOf(form), rows };
  if (csv) await output.pour(csvLines(form, rows), 'csv');
  else await output.answer(answer, (screen) => drawReport(form, sales, screen));
  if (tenant?.sandbox) output.note(`${tenant.slug} is a sandbox tenant: its bookings are in no report`);
  if (sales.some(({ platformMinor }) => platformMinor === null))
    output.note('A missing platform price: it was not stored with some bookings from before this version');
}

function readGroups(by: NonNullable<ReportOptions['by']>): Omit<ReportForm, 'refunds'> {
  const chosen = REPORT_GROUPS.filter((group) => by.includes(group));
  return {
    groups: chosen.length > 0 ? chosen : ['tenant', 'month'],
    basis: by.includes(BY_DEPARTURE) ? 'departure_date' : 'created_at',
  };
}

/** Returns the bases of a report, as the fields that name them. */
function datesOf({ basis, refunds }: ReportForm) {
  return { date_basis: basis, ...(refunds && { refund_date_basis: REFUND_DATE_BASIS }) };
}

type ReportDocument = ReturnType<typeof toReportDocument>;

function toReportDocument({ platformMinor, tenantMinor, depositMinor, currencyDigits, ...row }: SalesRow) {
  const { currency, bookings, seats, party, refunds, refundMinor, ...groups } = row;
  const amount = (minor: bigint) => toMajor(Number(minor), currencyDigits);
  return {
    ...groups,
    currency,
    bookings,
    seats,
    party,
    platform_total: platformMinor === null ? null : amount(platformMinor),
    tenant_total: amount(tenantMinor),
    deposit_total: amount(depositMinor),
    // Both are undefined, and so absent, without --refunds.
    refunds,
    refund_total: refundMinor === undefined ? undefined : amount(refundMinor),
  };
}

async function* csvLines(form: ReportForm, rows: ReportDocument[]): AsyncGenerator<string> {
  const refunds = form.refunds ? (['refunds', 'refund_total'] as const) : [];
  const columns = [...form.groups, 'currency', 'bookings', 'seats', ...AMOUNTS, ...refunds] as const;
  const dates = datesOf(form);
  yield csvLine([...columns, ...Object.keys(dates), 'party']);
  for (const row of rows) {
    const values = columns.map((column) => row[column] ?? null);
    yield csvLine([...values, ...Object.values(dates), JSON.stringify(row.party)]);
  }
}

const BASIS_NAMES: Record<DateBasis, string> = {
  created_at: 'By date of creation (UTC)',
  departure_date: 'By date of departure; bookings without a date are left out',
};

/** Draws the date basis, the rows, and below them the totals of each currency. */
function drawReport({ groups, basis, refunds }: ReportForm, sales: SalesRow[], screen: Screen): string {
  const columns = refunds ? [...COLUMNS, ...REFUND_COLUMNS] : COLUMNS;
  const dates = refunds ? `${BASIS_NAMES[basis]}; refunds by date of cancellation (UTC)` : BASIS_NAMES[basis];
  const ofGroups = groups.map((group): ItemColumn<SalesRow> => {
    return { heading: group, least: group === 'month' ? undefined : 8, cell: (row) => row[group] ?? null };
  });
  const rows = tableOf([...ofGroups, ...columns], 'No bookings')(sales, screen);
  const totals = tableOf<SalesRow>(['currency', ...columns], '')(totalByCurrency(sales), screen);
  return sections([
    [dates, rows],
    ['In total', totals],
  ]);
}

const COLUMNS: ItemColumn<SalesRow>[] = [
  { heading: 'bookings', right: true },
  { heading: 'seats', right: true },
  {
    heading: 'platform price',
    right: true,
    cell: (row) => (row.platformMinor === null ? null : moneyOf(row, row.platformMinor)),
  },
  { heading: 'tenant price', right: true, cell: (row) => moneyOf(row, row.tenantMinor) },
  { heading: 'deposit', right: true, aside: true, cell: (row) => moneyOf(row, row.depositMinor) },
  { heading: 'party', least: 12, aside: true, cell: ({ party }) => describeParty(party) },
];

const REFUND_COLUMNS: ItemColumn<SalesRow>[] = [
  { heading: 'refunds', right: true, cell: ({ refunds = 0 }) => refunds },
  { heading: 'refunded', right: true, cell: (row) => moneyOf(row, row.refundMinor ?? 0n) },
];

function moneyOf({ currency, currencyDigits }: SalesRow, minor: bigint): string {
  return formatMoney(toMajor(Number(minor), currencyDigits), currency);
}

const NO_SALES = {
  bookings: 0,
  seats: 0,
  party: {},
  platformMinor: 0n,
  tenantMinor: 0n,
  depositMinor: 0n,
  refunds: 0,
  refundMinor: 0n,
};

function totalByCurrency(sales: SalesRow[]): SalesRow[] {
  const totals = new Map<string, SalesRow>();
  for (const { currency, currencyDigits, ...row } of sales) {
    const sum = { ...NO_SALES, ...totals.get(currency) };
    const { platformMinor } = row;
    totals.set(currency, {
      currency,
      currencyDigits,
      bookings: sum.bookings + row.bookings,
      seats: sum.seats + row.seats,
      party: addParties([sum.party, row.party]),
      platformMinor:
        sum.platformMinor === null || platformMinor === null ? null : sum.platformMinor + platformMinor,
      tenantMinor: sum.tenantMinor + row.tenantMinor,
      depositMinor: sum.depositMinor + row.depositMinor,
      refunds: sum.refunds + (row.refunds ?? 0),
      refundMinor: sum.refundMinor + (row.refundMinor ?? 0n),
    });
  }
  return [...totals.values()].sort((a, b) => a.currency.localeCompare(b.currency));
}

async function reportAdjustmentsCommand(
  { db, output }: Context,
  { from, to, tenant: slug, csv = false }: Pick<ReportOptions, 'from' | 'to' | 'tenant' | 'csv'>,
): Promise<void> {
  const scope = slug === undefined ? ANY_TENANT : (await findTenant(db, slug)).id;
  const rows = (await findAdjustedSales(db, { scope, from, to })).map(toAdjustmentDocument);
  if (csv) await output.pour(adjustmentLines(rows), 'csv');
  else await output.answer({ rows }, (screen) => drawAdjustments(rows, screen));
}

type AdjustmentDocument = ReturnType<typeof toAdjustmentDocument>;

function toAdjustmentDocument(sale: AdjustedSale) {
  const amount = (minor: number) => toMajor(minor, sale.currencyDigits);
  return {
    booking_ref: sale.bookingRef,
    tenant: sale.tenant,
    tour: sale.tour,
    departure_date: sale.departureDate,
    status: sale.status,
    source: sale.source,
    currency: sale.currency,
    amount: amount(sale.adjustmentMinor),
    reason: sale.reason,
    total_price: amount(sale.totalMinor),
    created_at: sale.createdAt.toISOString(),
  };
}

const ADJUSTMENT_CSV = [
  'booking_ref',
  'tenant',
  'tour',
  'departure_date',
  'status',
  'source',
  'currency',
  'amount',
  'reason',
  'total_price',
  'created_at',
] as const;

async function* adjustmentLines(rows: AdjustmentDocument[]): AsyncGenerator<string> {
  yield csvLine(ADJUSTMENT_CSV);
  for (const row of rows) yield csvLine(ADJUSTMENT_CSV.map((column) => row[column]));
}

const drawAdjustments = tableOf<AdjustmentDocument>(
  [
    { heading: 'booking', cell: (row) => row.booking_ref },
    { heading: 'tenant', least: 6, aside: true },
    { heading: 'status', aside: true },
    { heading: 'adjustment', right: true, cell: (row) => formatMoney(row.amount, row.currency) },
    { heading: 'total', right: true, cell: (row) => formatMoney(row.total_price, row.currency) },
    { heading: 'reason', least: 12 },
  ],
  'No adjustments',
);
