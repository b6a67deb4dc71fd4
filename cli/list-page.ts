import type { Flag } from './command';
import type { Output } from './output';
import type { Screen } from './screen';

const MOST = 1000;

interface Page<T> {
  limit: number;
  /** What `--after` takes to go on behind this one; left out where the list has no such flag. */
  after?: (last: T) => string | number;
}

/** Lists go on behind the last item that was seen: new ones in front of it move nothing. */
export function afterFlag(value: string, parse: Flag['parse']): Flag {
  return { flags: `--after <${value}>`, about: 'go on behind this one, the last that was shown', parse };
}

/** How many to ask for, so that it shows whether there are more. */
export function oneMoreThan(shown: number): number {
  return shown + 1;
}

/** Answers with the first `limit` of what was found, and tells a person of the rest. */
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
    page.after && `--after ${page.after(last)} goes on`,
    page.limit < MOST && `--limit shows up to ${MOST}`,
  ].filter(Boolean);
  output.note(`${items.length} shown, and there are more: ${ways.join(', ')}`);
}
