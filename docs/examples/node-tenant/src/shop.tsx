import { fileURLToPath } from 'node:url';
import { type Problem, type ProblemCode, type TourPlatform, TourPlatformError } from '@tour-platform/client';
import express, { type NextFunction, type Request, type Response } from 'express';
import { changeDates } from './change-date.js';
import { sell } from './checkout.js';
import { OrderNotFound } from './order-page.js';
import type { Orders } from './orders.js';
import { longDate, money, sendPage } from './page.js';
import { searchTours } from './search.js';
import { showTour } from './tour.js';
import { receiveWebhooks } from './webhooks.js';

/** The website. Visitors see pages only; the API key stays on the server. */
export function createShop(platform: TourPlatform, orders: Orders, webhookSecret: string) {
  const shop = express();
  shop.use(express.static(fileURLToPath(new URL('../public', import.meta.url))));
  shop.use(receiveWebhooks(webhookSecret, orders));
  shop.use(express.urlencoded({ extended: false }));
  shop.use(searchTours(platform));
  shop.use(showTour(platform));
  shop.use(sell(platform, orders));
  shop.use(changeDates(platform, orders));
  shop.use(showRefusal);
  return shop;
}

/** Tells the visitor the next step, and logs the details. */
function showRefusal(error: unknown, _request: Request, response: Response, next: NextFunction): void {
  if (error instanceof OrderNotFound) {
    response.status(404);
    return sendPage(response, 'Not found', <h1>There is no such order.</h1>);
  }
  if (!(error instanceof TourPlatformError)) return next(error);
  const { code, status, requestId } = error;
  console.warn(`${error.message} (request ${requestId})`);
  const isAnswer = status === 404 || status === 409 || code === 'validation_failed';
  response.status(isAnswer ? status : 503);
  sendPage(response, 'Please look again', <Refusal error={error} isAnswer={isAnswer} />);
}

function Refusal({ error, isAnswer }: { error: TourPlatformError; isAnswer: boolean }) {
  const { code } = error;
  const facts: Partial<Problem> = error.problem ?? {};
  const { alternatives, total_price, currency = '', seats_available, errors } = facts;
  return (
    <section class="panel" data-code={code}>
      <h1>{isAnswer ? (TITLES[code] ?? 'This is not possible') : 'Please try again in a minute'}</h1>
      {seats_available !== undefined && <p>{`${seats_available} seats are free.`}</p>}
      {total_price !== undefined && <p>The price is {money(total_price, currency)} now.</p>}
      <ul>
        {errors?.map(({ field, message }) => (
          <li>{`${field}: ${message}`}</li>
        ))}
        {alternatives?.map(({ departure_date, departure_time, seats_available: seats }) => (
          <li>{`${longDate(departure_date, departure_time)}: ${seats} seats`}</li>
        ))}
      </ul>
      <p>
        Go back to change your choice, or see <a href="/">all tours</a>.
      </p>
    </section>
  );
}

const TITLES: Partial<Record<ProblemCode, string>> = {
  insufficient_seats: 'There are not enough seats on this date',
  hold_expired: 'The time to pay is over',
  price_changed: 'The price has changed',
  validation_failed: 'Please check your input',
  tour_not_found: 'This tour is not for sale',
};
