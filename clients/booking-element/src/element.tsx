import { render } from 'preact';
import { App } from './app.tsx';
import { keptChoice } from './kept-choice.ts';
import { nextAddress } from './next-address.ts';
import css from './style/style.css';
import type { Booking } from './wire.ts';
import { languageTag } from './words/words.ts';

const sheet = new CSSStyleSheet();
sheet.replaceSync(css);

/** The attributes that are properties too. `lang` is a property of each element. */
const PROPERTIES = ['tour', 'api', 'next', 'seller'] as const;

/** The path of the proxy without the attribute `api`. */
const API = '/tours';

/** The list of the platform, as its script makes it. */
const LIST = 'tour-list, script[src*="/embed/widget"]';
/** The time in which a page that is being built names a tour or shows a list. */
const LIST_MS = 5000;

interface Sold {
  /** The absolute address of the proxy. */
  api: string;
  /** Undefined: no tour is named yet. */
  slug: string | undefined;
}

/**
 * `<tour-booking tour="…" api="/tours" next="/pay" lang="de">`: sells the seats of a tour through the site's own server. Its children, such as a
 * link, are shown where it cannot sell.
 */
class TourBooking extends HTMLElement {
  static readonly observedAttributes = [...PROPERTIES, 'lang'];

  /** Ends what listens to the page. Undefined: the element is in no page. */
  #life: AbortController | undefined;
  /** The tour that the visitor chose in a list of this page, or whose seats the visitor holds. */
  #found: { slug: string; isChosen: boolean } | undefined;
  /** The server and the tour of a booking that is under way: its answer comes before another purchase. */
  #booking: Sold | undefined;

  constructor() {
    super();
    // A property that a script has set before the element was defined hides the one of the class.
    const own = this as Record<string, unknown>;
    for (const name of PROPERTIES) {
      if (!Object.hasOwn(own, name)) continue;
      const value = own[name];
      delete own[name];
      own[name] = value;
    }
  }

  connectedCallback(): void {
    if (this.#life) return;
    this.#life = new AbortController();
    const { signal } = this.#life;
    const { tour, isListed } = keptChoice() ?? {};
    if (tour && isListed) this.#found ??= { slug: tour, isChosen: false };
    // The events of the list do not bubble, but pass here on their way down.
    document.addEventListener('tour-click', (event) => this.#open(event), { capture: true, signal });
    const languages = new MutationObserver(() => this.#render());
    languages.observe(document.documentElement, { attributeFilter: ['lang'] });
    const timer = setTimeout(() => this.#checkTour(), LIST_MS);
    signal.addEventListener('abort', () => {
      languages.disconnect();
      clearTimeout(timer);
    });
    this.#render();
  }

  /** Waits for the end of the task: an element that only moves in its page is connected again by then, and keeps its purchase. */
  disconnectedCallback(): void {
    queueMicrotask(() => {
      if (this.isConnected || !this.#life) return;
      this.#life.abort();
      this.#life = undefined;
      render(null, this.#root());
    });
  }

  attributeChangedCallback(name: string, before: string | null, value: string | null): void {
    if (before === value) return;
    if (name === 'tour') this.#found = undefined;
    if (this.#life) this.#render();
  }

  #root(): ShadowRoot {
    if (this.shadowRoot) return this.shadowRoot;
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [sheet];
    for (const type of ['keydown', 'keypress', 'keyup'])
      root.addEventListener(type, (event) => keepTyped(event as KeyboardEvent));
    return root;
  }

  /** Says in the console that nothing names a tour. */
  #checkTour(): void {
    if (!this.#named().slug && !document.querySelector(LIST))
      reportError(new Error('<tour-booking>: Set the attribute tour, or put a list of tours on the page.'));
  }

  #open(event: Event): void {
    const { slug } = (event as CustomEvent<{ slug?: unknown } | null>).detail ?? {};
    if (this.getAttribute('tour') || typeof slug !== 'string') return;
    this.#found = { slug, isChosen: true };
    this.#render();
    this.scrollIntoView({ block: 'nearest' });
  }

  #named(): Sold {
    const slug = this.getAttribute('tour') || this.#found?.slug;
    return { api: addressOf(this.getAttribute('api') || API), slug };
  }

  #render(): void {
    const sold = this.#booking ?? this.#named();
    const { api, slug } = sold;
    const site = {
      api,
      slug,
      isChosen: this.#found?.isChosen ?? false,
      lang: languageTag(this.#language()),
      onTourFound: (found: string) => {
        this.#found = { slug: found, isChosen: false };
        this.#render();
      },
      onBooking: (isUnderWay: boolean) => {
        this.#booking = isUnderWay ? sold : undefined;
        if (this.#life) this.#render();
      },
      onBooked: (booking: Booking) => this.#leave(booking),
      isListed: !this.getAttribute('tour'),
      seller: this.getAttribute('seller') || siteName(),
    };
    // Another tour or another server begins a new purchase.
    render(
      <App key={`${api} ${slug}`} site={site} nextOf={(booking) => this.#next(booking)} />,
      this.#root(),
    );
  }

  /** Returns the nearest language that is more than blanks: of the tag, around it in its component, or of the page. */
  #language(): string {
    const around = this.parentElement?.closest<HTMLElement>('[lang]');
    const tags = [this.lang, around?.lang, document.documentElement.lang];
    return tags.find((tag) => tag?.trim()) ?? '';
  }

  #next({ booking_ref }: Booking): string | undefined {
    return nextAddress(this.getAttribute('next'), document.baseURI, booking_ref);
  }

  /** Notifies the page, and goes on to the payment unless the page prevents it. */
  #leave(booking: Booking): void {
    const { booking_ref, total_price, currency } = booking;
    const event = new CustomEvent('tour-booked', {
      bubbles: true,
      composed: true,
      cancelable: true,
      detail: { booking_ref, total_price, currency },
    });
    const next = this.#next(booking);
    if (this.dispatchEvent(event) && next !== undefined) location.assign(next);
  }
}

/** Keys that type no text: the page may end a dialog by one, and keep the focus in it by the other. */
const KEYS_OF_PAGE = ['Escape', 'Tab'];

/** Keeps what is typed in a field from the shortcuts of the page, which sees the element as the target and not its field. */
function keepTyped(event: KeyboardEvent): void {
  const isField = (event.target as Element).matches('input,select,textarea');
  if (isField && !KEYS_OF_PAGE.includes(event.key)) event.stopPropagation();
}

/** Returns the name of the site: the one that the page states for links to it, otherwise that of its address. */
function siteName(): string {
  const stated = document.querySelector<HTMLMetaElement>('meta[property$=site_name]')?.content;
  return stated || location.hostname;
}

/** Returns the absolute address of the proxy, without a slash at its end. */
function addressOf(api: string): string {
  const path = URL.canParse(api, document.baseURI) ? api : API;
  return new URL(path, document.baseURI).href.replace(/\/+$/, '');
}

for (const name of PROPERTIES)
  Object.defineProperty(TourBooking.prototype, name, {
    configurable: true,
    enumerable: true,
    get(this: TourBooking) {
      return this.getAttribute(name) ?? '';
    },
    set(this: TourBooking, value: string | null | undefined) {
      if (value === null || value === undefined) this.removeAttribute(name);
      else this.setAttribute(name, value);
    },
  });

/** The newest feature of a browser that the element needs. An older browser shows the children of the tag. */
const canSell = CSS.supports('color', 'light-dark(color(from red xyz-d65 x y z), red)');
if (canSell && !customElements.get('tour-booking')) customElements.define('tour-booking', TourBooking);
