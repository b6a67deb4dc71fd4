import {
  CATEGORY_RULES,
  type ChangedPrice,
  type ChangedPrices,
  findPricesChangedBy0144,
} from '../../services/api/catalog/prices-changed-0144.repository';
import { migrate } from '../../services/platform/migrate/migrate';
import type { VerbBody } from '../engine/command';
import type { AuditedContext } from '../engine/context';
import { formatMoney } from '../engine/values';
import type { Screen } from '../terminal/screen';
import { paragraph, tableOf } from '../terminal/table';

export const migrateVerb: VerbBody = {
  schema: 'as-is',
  creates: true,
  audits: true,
  run: migrateCommand,
};

/** Writes the audit row after the migrations, because they may create the audit table. */
async function migrateCommand({ audited, db, output }: AuditedContext): Promise<void> {
  const applied = await migrate(db, (line) => output.warn(line));
  if (applied.length > 0) {
    await audited({ action: 'migrate' }, async (_, note) => note(null, { applied }));
  }
  const changed: ChangedPrices = applied.includes(CATEGORY_RULES)
    ? await findPricesChangedBy0144(db)
    : { price_changes: [], price_changes_total: 0 };
  await output.answer({ applied, ...changed }, (screen) =>
    [describeApplied(applied), ...describePrices(changed, screen)].join('\n\n'),
  );
}

function describeApplied(applied: string[]): string {
  return applied.length > 0 ? applied.join('\n') : 'The schema is up to date';
}

const priceTable = tableOf<ChangedPrice>(
  [
    'tenant',
    { heading: 'tour', least: 10 },
    'category',
    { heading: 'from', right: true, cell: ({ from, currency }) => formatMoney(from, currency) },
    { heading: 'to', right: true, cell: ({ to, currency }) => formatMoney(to, currency) },
    { heading: 'departures', right: true, aside: true },
  ],
  '',
);

function describePrices(
  { price_changes: prices, price_changes_total: total }: ChangedPrices,
  screen: Screen,
) {
  if (total === 0) return [];
  const more = total > prices.length ? `\n… and ${total - prices.length} more` : '';
  const advice =
    "The update changed these prices of open departures, because each price category has its own deciding rule now. To keep the platform's " +
    'price of a category, add a rule such as: tourctl pricing add acme --amount 0 --category child';
  return [paragraph(advice, screen), `${priceTable(prices, screen)}${more}`];
}
