import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A version of a script for the pages of tenants. */
export interface PublishedScript {
  version: string;
  /** The name in the address: `/embed/widget.v3.js`. */
  file: string;
  text: string;
  /** The value of the integrity attribute. */
  integrity: string;
}

/**
 * The versions of the loader, newest first: /embed/widget.js is the newest. `<script async src="…/embed/widget.js" data-token="…">`
 * adds a `<tour-list>` at its place, whose frame shows the page and grows with it. A page may also have its own
 * `<tour-list data-token="…">` elements. docs/guide/widget.md lists the data attributes and the events.
 *
 * The browser notifies a custom element when it is added or removed, so a single-page app can remove the widget completely. The loader sets
 * styles through the DOM and evaluates no code, so a strict policy needs only our address in script-src and frame-src.
 *
 * Pages name the hash of a version, so a published file never changes, and no name is used again: v1 and v2 were removed. A change to the
 * loader is a new file `assets/widget.v<N>.js` and a new entry here.
 * @rule when the widget is hidden, and why its console says so: test/widget/browser/loader-reasons.long.test.ts
 */
export const LOADERS: [PublishedScript, ...PublishedScript[]] = [publish('widget', 'v3')];

/**
 * The versions of the element `<tour-booking>`, newest first: /embed/booking.js is the newest. The build makes the newest file from
 * clients/booking-element (ELEMENT_SCRIPT in build.cjs). A released file is in git and never changes: docs/adr/0057-booking-element.md says
 * how the next version begins.
 */
export const ELEMENTS: [PublishedScript, ...PublishedScript[]] = [publish('booking', 'v1')];

function publish(name: string, version: string): PublishedScript {
  const file = `${name}.${version}.js`;
  const text = readFileSync(join(__dirname, 'assets', file), 'utf8');
  return { version, file, text, integrity: `sha384-${createHash('sha384').update(text).digest('base64')}` };
}
