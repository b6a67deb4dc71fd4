import { source as axe } from 'axe-core';
import type { Page } from 'playwright-core';

/** Rules of WCAG 2.2 AA, and axe's best practices. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Returns the issues that axe finds in a page: the rule, and each element with the reason. */
export async function violationsOf(page: Page): Promise<unknown> {
  await page.evaluate(axe);
  const options = JSON.stringify({ runOnly: { type: 'tag', values: RULES }, resultTypes: ['violations'] });
  return page.evaluate<unknown>(
    `axe.run(${options}).then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map((node) => node.html + node.failureSummary)]))`,
  );
}
