import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { keepChoice, keptChoice } from './kept-choice.ts';
import { type Purchase, type PurchaseEvent, reduce, startPurchase } from './purchase.ts';
import { type Actions, createPurchaseCalls, type Site, VISITOR_CHANGED } from './purchase-calls.ts';

/**
 * Runs the purchase of a tag: its state, and the calls that change it. Reads what the visitor has again when the page is shown again, when the
 * network is back, and when another element of the page has changed it.
 */
export function usePurchase(site: Site): [Purchase, (event: PurchaseEvent) => void, Actions] {
  const [purchase, dispatch] = useReducer(reduce, site, ({ slug, isChosen }) =>
    startPurchase(slug !== undefined, isChosen, choiceOf(slug)),
  );
  const latest = useRef({ site, purchase });
  latest.current = { site, purchase };
  const [calls] = useState(() => createPurchaseCalls(() => latest.current, dispatch));

  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    const onShow = () => document.visibilityState === 'visible' && calls.wake();
    document.addEventListener('visibilitychange', onShow, { signal });
    // A page that comes back from the browser's cache, after the visitor went back from the payment.
    addEventListener('pageshow', ({ persisted }) => persisted && calls.wake(), { signal });
    addEventListener('online', calls.wake, { signal });
    // Two windows side by side are both visible.
    addEventListener('focus', onShow, { signal });
    document.addEventListener(VISITOR_CHANGED, calls.look, { signal });
    calls.actions.load(true);
    return () => {
      listening.abort();
      calls.end();
    };
  }, [calls]);

  useChoiceKept(site, purchase);

  const language = useRef(site.lang);
  useEffect(() => {
    if (language.current !== site.lang) calls.translate();
    language.current = site.lang;
  }, [calls, site.lang]);

  return [purchase, dispatch, calls.actions];
}

/** Returns what was chosen of a tour before a reload. */
function choiceOf(slug: string | undefined) {
  const choice = keptChoice();
  return choice?.tour === slug ? choice : undefined;
}

/** Keeps what the visitor chooses until it is booked. Before the visitor acts, the history of the page is left alone. */
function useChoiceKept({ slug, isListed }: Site, { stage, date, time, party, isTouched }: Purchase): void {
  const isBooked = stage.at === 'booked';
  useEffect(() => {
    if (slug === undefined || !isTouched) return;
    keepChoice(isBooked ? undefined : { tour: slug, isListed, date, time, party });
  }, [slug, isTouched, isBooked, date, time, party]);
}
