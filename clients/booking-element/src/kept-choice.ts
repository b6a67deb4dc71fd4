import type { Choice } from './purchase.ts';

/** The choice of a visitor, without anything about the visitor. */
interface KeptChoice extends Choice {
  /** The slug of the tour. */
  tour: string;
  /** True: the tag names no tour, so that the choice is of a list. */
  isListed?: boolean;
}

/** The key of the choice in the state of the history's entry. The other keys are the page's own. */
const KEY = 'tour-booking';

/** Returns what was chosen before a reload of the page. */
export function keptChoice(): KeptChoice | undefined {
  const state: unknown = history.state;
  return isObject(state) && isChoice(state[KEY]) ? state[KEY] : undefined;
}

/**
 * Keeps a choice for a reload. Does nothing on a page whose own state has no keys, and where the browser refuses it.
 * @rule what of a choice a reload keeps: test/element/browser/steps.long.test.ts
 */
export function keepChoice(choice: KeptChoice | undefined): void {
  const state: unknown = history.state ?? {};
  if (!isObject(state)) return;
  try {
    history.replaceState({ ...state, [KEY]: choice }, '');
  } catch {
    // Some browsers allow a number of calls in a time, and none in a frame without an origin.
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Another version of the element may have kept another form. */
function isChoice(value: unknown): value is KeptChoice {
  if (!isObject(value)) return false;
  const { date = '', party = {} } = value;
  return typeof date === 'string' && isObject(party);
}
