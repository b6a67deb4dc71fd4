import { findTenant } from '../../services/api/tenants/find-tenant';
import type { Db } from '../../services/platform/database';
import type { Output } from '../terminal/output';
import type { Screen } from '../terminal/screen';

const MOST = 1000;

interface Page<T> {
  limit: number;
  /** Returns the value of `--after` for the next page; absent if the list has no such flag. */
  after?: (last: T) => string | number;
}

/** Returns the id for `--tenant`; undefined without the flag. @throws TenantNotFoundError */
export async function findTenantId(db: Db, slug: string | undefined): Promise<string | undefined> {
  return slug === undefined ? undefined : (await findTenant(db, slug)).id;
}

/** Returns the limit plus one, which reveals whether there are more rows. */
export function oneMoreThan(shown: number): number {
  return shown + 1;
}

/** Answers with the first `limit` rows and notes that there are more. */
export function answerPage<T extends object>(
  output: Output,
  found: T[],
  page: Page<T>,
  text: (items: T[], screen: Screen) => string,
): void {
  const items = found.slice(0, page.limit);
  output.answer({ items }, (screen) => text(items, screen));
  const last = items.at(-1);
  if (last === undefined || found.length <= page.limit) return;
  const ways = [
    page.after && `--after ${page.after(last)} continues`,
    page.limit < MOST && `--limit shows up to ${MOST}`,
  ].filter(Boolean);
  output.note(`${items.length} shown, and there are more: ${ways.join(', ')}`);
}
