import type { Response } from 'express';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** Sends a page of the shop. JSX escapes every value, such as names of tours and customers. */
export function sendPage(response: Response, title: string, body: VNode): void {
  const page = (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · Far & Near`}</title>
        <link rel="stylesheet" href="/style.css" />
        <link rel="icon" href="data:," />
      </head>
      <body>
        <header>
          <a class="brand" href="/">
            Far &amp; Near
          </a>
          <nav>
            <a href="/">Tours</a>
            <a href="/inbox">Webhook inbox</a>
          </nav>
        </header>
        <main>{body}</main>
      </body>
    </html>
  );
  response.type('html').send(`<!doctype html>${renderToString(page)}`);
}

/** A picture of the catalog, or a drawing in its place. */
export function Picture({ url, isFirst = false }: { url: string | null; isFirst?: boolean }) {
  return (
    <img
      class="picture"
      src={url ?? '/no-picture.svg'}
      alt=""
      width="640"
      height="400"
      loading={isFirst ? 'eager' : 'lazy'}
      fetchpriority={isFirst ? 'high' : undefined}
    />
  );
}

const countryNames = new Intl.DisplayNames('en', { type: 'region' });

/** @param code ISO 3166 alpha-2 */
export function countryName(code: string): string {
  return countryNames.of(code) ?? code;
}

export function days(count: number): string {
  return count === 1 ? '1 day' : `${count} days`;
}

/** @param amount major units, as the platform sends them */
export function money(amount: number, currency: string): string {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(amount);
}

/**
 * @param date a calendar date, such as 2027-05-01; it has no time zone
 * @param time where the tour begins, such as 09:30; null for a tour without a start time
 */
export function longDate(date: string, time: string | null = null): string {
  const day = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeZone: 'UTC' }).format(new Date(date));
  return time === null ? day : `${day}, ${time}`;
}
