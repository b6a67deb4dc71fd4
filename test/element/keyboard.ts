import type { Page } from 'playwright-core';

/** More than the controls of the longest step. */
const TABS_MAX = 60;

/** Presses Tab until the focus is on a control of the element. @param selector of the control in the shadow tree of the element */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let pressed = 0; pressed < TABS_MAX; pressed += 1) {
    if (await hasFocus(page, selector)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab never reached ${selector}.`);
}

export function hasFocus(page: Page, selector: string): Promise<boolean> {
  return page.evaluate<boolean>(
    `document.querySelector('tour-booking').shadowRoot.activeElement?.matches('${selector}') ?? false`,
  );
}

/** Waits until a control of the element has the focus, for example after an answer. */
export function waitForFocus(page: Page, selector: string): Promise<void> {
  return page.locator(`${selector}:focus`).waitFor();
}

/** Returns the date of the day of the calendar that has the focus. */
export function focusedDate(page: Page): Promise<string | undefined> {
  return page.evaluate<string | undefined>(
    "document.querySelector('tour-booking').shadowRoot.activeElement?.dataset.date",
  );
}
