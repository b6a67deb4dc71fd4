import { findTenant } from '../../services/api/tenants/manage-tenants';
import type { Db } from '../../services/platform/database/database';
import { REFERENCE_MAX } from '../../services/platform/forms/lengths';
import { flag, type Flag } from './command';
import type { Context } from './context';
import { limit, line, moment, searchText, slug } from './values';
import type { Output } from '../terminal/output';
import { type ItemColumn, tableOf } from '../terminal/table';

const ITEMS_MAX = 1000;
export const DEFAULT_LIMIT = 100;

/** Flags of every list. program.ts reads `--wide` when it opens the output. */
export const LIST_FLAGS = [
  flag('--limit <number>', 'maximum number', {
    parse: limit,
    otherwise: String(DEFAULT_LIMIT),
  }),
  flag('--wide', 'show all columns without a cut, also wider than the screen'),
];

/** Declares --after: the list continues after the item that was shown last. New items before that item do not shift the page. */
export const afterFlag = (value: string, parse: Flag['parse']): Flag =>
  flag(`--after <${value}>`, 'continue after this one, the last that was shown', { parse });

export const TENANT_FLAG = flag('--tenant <slug>', 'only of this tenant', { parse: slug });
export const TOUR_FLAG = flag('--tour <slug>', 'only of this tour, by slug or id');
export const SEARCH_FLAG = flag(
  '--search <text>',
  'only with this name, phone number, e-mail address or reference, or its beginning',
  { parse: searchText },
);
export const EXTERNAL_REF_FLAG = flag(
  '--external-ref <ref>',
  "only with this reference of the tenant's own",
  { parse: line(REFERENCE_MAX) },
);

/** Answers with CSV. run-verb.ts refuses the flag together with --json. */
export const CSV_FLAG = flag('--csv', 'write CSV');

/** Filters by time. @param what the compared time, for the help: `created` */
export const sinceFlag = (what: string): Flag =>
  flag('--since <time>', `only ${what} from then on: a date, a time, or 24h for a day ago`, {
    parse: moment,
  });

/** Returns the id for `--tenant`; undefined without the flag. @throws TenantNotFoundError */
export async function findTenantId(db: Db, slug: string | undefined): Promise<string | undefined> {
  return slug === undefined ? undefined : (await findTenant(db, slug)).id;
}

/** Shows items: each is a row of the table, and an entry of the JSON document. */
interface ItemList<Item> {
  /** Returns the JSON entry of an item. Absent: the item itself is the entry. */
  document?: (item: Item) => object;
  columns: ItemColumn<Item>[];
  /** The text if there are no items. */
  empty: string;
  /** Returns the value of the cursor for the next page. */
  after: (last: Item) => string | number;
  /** The flag of the cursor; `--after` by default. */
  cursor?: string;
}

/** Declares a list: the query with the JSON document of each item, and the columns on a screen. */
interface List<Options, Item, Args extends unknown[]> extends ItemList<Item> {
  find: (db: Db, options: Options & { limit: number }, ...args: Args) => Promise<Item[]>;
}

/** Returns the action of a list command: it finds the items and answers with them. */
export function listOf<Options, Item, Args extends unknown[] = []>(list: List<Options, Item, Args>) {
  return async (
    { db, output }: Context,
    { limit = DEFAULT_LIMIT, ...options }: Options & { limit?: number },
    ...args: Args
  ): Promise<void> => {
    // Reads one item more than the limit, to know whether there are more.
    const found = await list.find(
      db,
      { ...options, limit: limit + 1 } as Options & { limit: number },
      ...args,
    );
    await answerItems(output, found, limit, list);
  };
}

/** Answers with the first `limit` items and notes that there are more. */
export async function answerItems<Item>(
  output: Output,
  found: Item[],
  limit: number,
  { document, columns, empty, after, cursor = '--after' }: ItemList<Item>,
): Promise<void> {
  const items = found.slice(0, limit);
  await output.answer({ items: document ? items.map(document) : items }, (screen) =>
    tableOf(columns, empty)(items, screen),
  );
  const last = items.at(-1);
  if (last === undefined || found.length <= limit) return;
  const further = limit < ITEMS_MAX ? `, --limit shows up to ${ITEMS_MAX}` : '';
  output.note(`${items.length} shown, and there are more: ${cursor} ${after(last)} continues${further}`);
}
