import { eventually } from '../webhook-queue/queue-fixture';
import type { Locator, Page } from 'playwright-core';

/** Does the steps of a visitor with the English element. */

/** At 50 ms each, thirty seconds. */
const LOOKS_MAX = 600;

/** Chooses the first open day, and holds the seats of the party that is offered. */
export async function holdSeats(page: Page): Promise<void> {
  await page.locator('.day.open').first().click();
  await page.getByRole('button', { name: 'Hold the seats' }).click();
  await page.getByRole('heading', { name: 'Your seats are held' }).waitFor();
}

/** @param page of the element, or the element itself where the page has several */
export async function fillContact(page: Page | Locator): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill('Ana Lima');
  await page.getByLabel('Phone').fill('+49 30 901820');
  await page.getByLabel('E-mail').fill('ana@example.com');
}

export async function book(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Book for/ }).click();
}

/** Shows the page again, as after a change of the tab. All pages of the headless browser are visible. */
export function showAgain(page: Page): Promise<void> {
  return page.evaluate("void document.dispatchEvent(new Event('visibilitychange'))");
}

/**
 * Goes back in the history, and waits for an element of the shadow tree. Firefox shows the page again as it left it, without a load.
 * page.goBack and locators wait for that load, so this function uses neither.
 */
export async function goBackTo(page: Page, selector: string): Promise<void> {
  // Leaves the page after the evaluation, which the navigation could end.
  await page.evaluate('void setTimeout(() => history.back())');
  const find = `!!document.querySelector('tour-booking')?.shadowRoot.querySelector('${selector}')`;
  for (let tried = 0; tried < LOOKS_MAX; tried += 1) {
    // The page that is left can end the evaluation.
    if (await page.evaluate<boolean>(find).catch(() => false)) return;
    await page.waitForTimeout(50);
  }
  throw new Error(`The page has no ${selector} after the step back.`);
}

/** Waits until an expression is true on the page. page.waitForFunction cannot: the policy of the page forbids eval. */
export async function waitUntil(page: Page, expression: string): Promise<void> {
  await eventually(expression, async () => (await page.evaluate<unknown>(expression)) || undefined);
}

/** Waits until the element of the page listens and renders. */
export function waitForElement(page: Page): Promise<void> {
  return waitUntil(page, "document.querySelector('tour-booking')?.shadowRoot != null");
}
