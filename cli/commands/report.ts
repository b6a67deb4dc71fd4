import {
  type DateBasis,
  type ReportGroup,
  REPORT_GROUPS,
  reportSales,
  type SalesRow,
} from '../../services/api/bookings/sales-report.repository';
import { toMajor } from '../../services/api/pricing/currency';
import { findTenant } from '../../services/api/tenants/manage-tenants';
import { ANY_TENANT } from '../../services/api/tenants/tenant';
import { csvLine } from '../../services/platform/csv-cells';
import { flag, type Verb } from '../engine/command';
import type { Context } from '../engine/context';
import { UsageError } from '../engine/failure';
import { CSV_FLAG, TENANT_FLAG } from '../engine/list';
import { formatMoney, travelDate } from '../engine/values';
import type { Screen } from '../terminal/screen';
import { type ItemColumn, sections, tableOf } from '../terminal/table';

/** The value of --by that makes the date of departure the basis of the report. */
const BY_DEPARTURE = 'departure';

export const reportVerbs: Verb[] = [
  {
    usage: 'sales',
    about:
      'Sum the bookings that were created in a period (or depart, with --by departure), by tenant, month and currency; cancelled, expired and sandbox bookings are left out',
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
      CSV_FLAG,
    ],
    check: ({ from, to }: ReportOptions) => {
      if (from > to) throw new UsageError('--to must not be before --from');
    },
    examples: [
      'report sales --from 2027-05-01 --to 2027-05-31',
      'report sales --from 2027-01-01 --to 2027-12-31 --by tenant --csv',
      'report sales --from 2027-06-01 --to 2027-06-30 --by tour,departure',
    ],
    run: reportSalesCommand,
  },
];

interface ReportOptions {
  from: string;
  to: string;
  tenant?: string;
  by?: (ReportGroup | typeof BY_DEPARTURE)[];
  csv?: boolean;
}

const AMOUNTS = ['platform_total', 'tenant_total', 'deposit_total'] as const;

async function reportSalesCommand(
  { db, output }: Context,
  { from, to, tenant: slug, by = [], csv = false }: ReportOptions,
): Promise<void> {
  const tenant = slug === undefined ? undefined : await findTenant(db, slug);
  const basis = by.includes(BY_DEPARTURE) ? 'departure_date' : 'created_at';
  const chosen = REPORT_GROUPS.filter((group) => by.includes(group));
  const groups: readonly ReportGroup[] = chosen.length > 0 ? chosen : ['tenant', 'month'];
  const sales = await reportSales(db, { scope: tenant?.id ?? ANY_TENANT, basis, from, to, groups });
  const rows = sales.map(toReportDocument);
  if (csv) await output.pour(csvLines(groups, basis, rows), 'csv');
  else await output.answer({ date_basis: basis, rows }, (screen) => drawReport(groups, basis, sales, screen));
  if (tenant?.sandbox) output.note(`${tenant.slug} is a sandbox tenant: its bookings are in no report`);
  if (sales.some(({ platformMinor }) => platformMinor === null))
    output.note('A missing platform price: it was not stored with some bookings from before this version');
}

type ReportDocument = ReturnType<typeof toReportDocument>;

function toReportDocument({ platformMinor, tenantMinor, depositMinor, currencyDigits, ...row }: SalesRow) {
  const { currency, bookings, seats, ...groups } = row;
  const amount = (minor: bigint) => toMajor(Number(minor), currencyDigits);
  return {
    ...groups,
    currency,
    bookings,
    seats,
    platform_total: platformMinor === null ? null : amount(platformMinor),
    tenant_total: amount(tenantMinor),
    deposit_total: amount(depositMinor),
  };
}

async function* csvLines(
  groups: readonly ReportGroup[],
  basis: DateBasis,
  rows: ReportDocument[],
): AsyncGenerator<string> {
  const columns = [...groups, 'currency', 'bookings', 'seats', ...AMOUNTS] as const;
  yield csvLine([...columns, 'date_basis']);
  for (const row of rows) yield csvLine([...columns.map((column) => row[column] ?? null), basis]);
}

const BASIS_NAMES: Record<DateBasis, string> = {
  created_at: 'By date of creation (UTC)',
  departure_date: 'By date of departure; bookings without a date are left out',
};

/** Draws the date basis, the rows, and below them the totals of each currency. */
function drawReport(
  groups: readonly ReportGroup[],
  basis: DateBasis,
  sales: SalesRow[],
  screen: Screen,
): string {
  const ofGroups = groups.map((group): ItemColumn<SalesRow> => {
    return { heading: group, least: group === 'month' ? undefined : 8, cell: (row) => row[group] ?? null };
  });
  const rows = tableOf([...ofGroups, ...COLUMNS], 'No bookings')(sales, screen);
  const totals = tableOf<SalesRow>(['currency', ...COLUMNS], '')(totalByCurrency(sales), screen);
  return sections([
    [BASIS_NAMES[basis], rows],
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
];

function moneyOf({ currency, currencyDigits }: SalesRow, minor: bigint): string {
  return formatMoney(toMajor(Number(minor), currencyDigits), currency);
}

const NO_SALES = { bookings: 0, seats: 0, platformMinor: 0n, tenantMinor: 0n, depositMinor: 0n };

function totalByCurrency(sales: SalesRow[]): SalesRow[] {
  const totals = new Map<string, SalesRow>();
  for (const { currency, currencyDigits, ...row } of sales) {
    const sum = totals.get(currency) ?? NO_SALES;
    const { platformMinor } = row;
    totals.set(currency, {
      currency,
      currencyDigits,
      bookings: sum.bookings + row.bookings,
      seats: sum.seats + row.seats,
      platformMinor:
        sum.platformMinor === null || platformMinor === null ? null : sum.platformMinor + platformMinor,
      tenantMinor: sum.tenantMinor + row.tenantMinor,
      depositMinor: sum.depositMinor + row.depositMinor,
    });
  }
  return [...totals.values()].sort((a, b) => a.currency.localeCompare(b.currency));
}
