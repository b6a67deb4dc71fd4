import { type DayOfSales, summarizeSales } from '../../../services/api/bookings/daily-sales.repository';
import { namedNumbers } from '../../../services/api/parties/party';
import { findTenant } from '../../../services/api/tenants/manage-tenants';
import { ANY_TENANT } from '../../../services/api/tenants/tenant';
import type { Db } from '../../../services/platform/database/database';
import { DAY_MS } from '../../../services/platform/forms/days';
import type { Context } from '../../engine/context';
import { addParties } from '../../engine/party';
import { bar, drawsBlocks, type Screen } from '../../terminal/screen';
import { paragraph, table } from '../../terminal/table';
import { countOf } from '../../terminal/text';

const DEFAULT_DAYS = 14;
/** Width of the drawing in a pipe, because a pipe has no width. */
const PIPE_COLUMNS = 80;

interface StatsOptions {
  since?: Date;
  sandbox?: boolean;
}

export async function showStatsCommand(
  { db, io, output }: Context,
  { since = new Date(Date.now() - (DEFAULT_DAYS - 1) * DAY_MS), sandbox }: StatsOptions,
  slug?: string,
): Promise<void> {
  const tenants = await readTenants(db, slug, sandbox);
  const sales = await summarizeSales(db, tenants, since);
  const days = sales.map((day) => ({ day: day.day, ...toDocument(day) }));
  const together = toDocument(sum(sales));
  const document = {
    tenant: slug ?? null,
    sandbox: tenants.sandbox,
    from: days[0]?.day ?? null,
    to: days.at(-1)?.day ?? null,
    days,
    together,
  };
  await output.answer(document, (screen) =>
    [
      drawDays(sales, screen, drawsBlocks(io.env)),
      paragraph(
        describeTogether(together, slug ?? (tenants.sandbox ? 'All sandbox tenants' : 'All tenants')),
        screen,
      ),
    ].join('\n\n'),
  );
}

/** Returns the named tenant, or all tenants if no name is given, and whether sandbox sales are counted. */
async function readTenants(db: Db, slug: string | undefined, sandbox: boolean | undefined) {
  if (slug === undefined) return { scope: ANY_TENANT, sandbox: sandbox ?? false } as const;
  const tenant = await findTenant(db, slug);
  return { scope: tenant.id, sandbox: sandbox ?? tenant.sandbox };
}

type Counted = Omit<DayOfSales, 'day'>;

function toDocument(counted: Counted) {
  const { adults, children } = namedNumbers(counted.party);
  return {
    holds: counted.holds,
    holds_converted: counted.converted,
    conversion: counted.holds > 0 ? Number((counted.converted / counted.holds).toFixed(4)) : null,
    bookings: counted.bookings,
    adults,
    children,
    party: counted.party,
    people: counted.people,
    confirmed: counted.confirmed,
    cancelled: counted.cancelled,
    expired: counted.expired,
    sold_out: counted.soldOut,
    refused: counted.refused,
  };
}

function sum(sales: DayOfSales[]): Counted {
  const total = (read: (day: DayOfSales) => number) => sales.reduce((all, day) => all + read(day), 0);
  const refused: Record<string, number> = {};
  for (const day of sales) {
    for (const [code, count] of Object.entries(day.refused)) refused[code] = (refused[code] ?? 0) + count;
  }
  return {
    holds: total((day) => day.holds),
    converted: total((day) => day.converted),
    bookings: total((day) => day.bookings),
    party: addParties(sales.map(({ party }) => party)),
    people: total((day) => day.people),
    confirmed: total((day) => day.confirmed),
    cancelled: total((day) => day.cancelled),
    expired: total((day) => day.expired),
    soldOut: total((day) => day.soldOut),
    refused,
  };
}

const HEADINGS = ['holds', 'bookings', 'of holds', 'sold out'];
/** Width of the day column and of the gaps between five columns, in cells. */
const BESIDE_BARS = 10 + 4 * 2;
const WIDEST_BAR = 20;

/**
 * Draws a row of numbers for each day, each number with a bar if there is space. Holds, bookings and refusals use the same scale, so that
 * their bars can be compared.
 */
function drawDays(sales: DayOfSales[], screen: Screen, blocks: boolean): string {
  const { columns = PIPE_COLUMNS } = screen;
  const share = ({ holds, converted }: DayOfSales) => (holds > 0 ? Math.round((converted / holds) * 100) : 0);
  const most = Math.max(...sales.flatMap(({ holds, bookings, soldOut }) => [holds, bookings, soldOut]));
  const series: { values: number[]; most: number; unit?: string }[] = [
    { values: sales.map(({ holds }) => holds), most },
    { values: sales.map(({ bookings }) => bookings), most },
    { values: sales.map(share), most: 100, unit: '%' },
    { values: sales.map(({ soldOut }) => soldOut), most },
  ];
  const digits = series.map(({ values, unit = '' }) => `${Math.max(0, ...values)}${unit}`.length);
  const numbers = digits.reduce((all, each) => all + each + 1, 0);
  const available = Math.floor((columns - BESIDE_BARS - numbers) / series.length);
  const width = available < 2 ? 0 : Math.min(WIDEST_BAR, available);
  const rows = sales.map(({ day }, i) => [
    day,
    ...series.map(({ values, most, unit = '' }, n) =>
      `${`${values[i]}${unit}`.padStart(digits[n]!)} ${bar(values[i]!, most, width, blocks)}`.trimEnd(),
    ),
  ]);
  return table(['day (utc)', ...HEADINGS], rows, 'No days', { ...screen, columns });
}

function describeTogether(together: ReturnType<typeof toDocument>, whose: string): string {
  const { holds, conversion, bookings, people, confirmed, cancelled, expired, sold_out, refused } = together;
  const share = conversion === null ? '' : ` (${Math.round(conversion * 100)} % became a booking)`;
  const others = Object.entries(refused).map(([code, count]) => `${count} ${code}`);
  return [
    `${whose}: ${countOf(holds, 'hold')}${share}, ${countOf(bookings, 'booking')} of ${countOf(people, 'traveller')}`,
    `Of the bookings: ${confirmed} confirmed, ${cancelled} cancelled, ${expired} expired`,
    `Refused: ${[`${sold_out} sold out`, ...others].join(', ')}`,
  ].join('\n');
}
