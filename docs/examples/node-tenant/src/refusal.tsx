import { type Problem, type ProblemCode, TourPlatformError } from '@tour-platform/client';
import type { NextFunction, Request, Response } from 'express';
import { OrderNotFound } from './orders.js';
import { longDate, money, sendPage } from './page.js';

/** The last handler of the shop: tells the visitor the next step, and logs the details. */
export function showRefusal(error: unknown, _request: Request, response: Response, next: NextFunction): void {
  if (error instanceof OrderNotFound) {
    response.status(404);
    return sendPage(response, 'Not found', <h1>There is no such order.</h1>);
  }
  const faultStatus = statusOfFault(error);
  if (faultStatus !== undefined) {
    response.status(faultStatus);
    return sendPage(response, 'Please look again', <UnreadRequest status={faultStatus} />);
  }
  if (!(error instanceof TourPlatformError)) return next(error);
  logRefusal(error);
  const { code, status } = error;
  const isAnswer = status === 404 || status === 409 || code === 'validation_failed';
  response.status(isAnswer ? status : 503);
  sendPage(
    response,
    'Please look again',
    <>
      <h1>{isAnswer ? 'This is not possible' : 'Please try again in a minute'}</h1>
      {isAnswer && <Refusal error={error} />}
      <p>
        Go back to change your choice, or see <a href="/">all tours</a>.
      </p>
    </>,
  );
}

/** Returns the status, 400 to 499, of a request that Express cannot read: 413 for a form of more than 100 KiB. */
function statusOfFault(error: unknown): number | undefined {
  if (!(error instanceof Error) || error instanceof TourPlatformError || !('status' in error))
    return undefined;
  const status = Number(error.status);
  return status >= 400 && status < 500 ? status : undefined;
}

function UnreadRequest({ status }: { status: number }) {
  return (
    <>
      <h1>{status === 413 ? 'The form is too long' : 'This request cannot be read'}</h1>
      <p>
        {status === 413 ? 'Go back to write less' : 'Go back to try again'}, or see <a href="/">all tours</a>.
      </p>
    </>
  );
}

export function logRefusal({ message, requestId }: TourPlatformError): void {
  console.warn(`${message} (request ${requestId})`);
}

interface RefusalProps {
  error: TourPlatformError;
  /** Fields that show their own issue. `travellers` includes `travellers.0.last_name`. */
  shown?: string[];
}

/** Says why the platform refuses an input. On the page of a tour, each departure with enough seats is a link. */
export function Refusal({ error: { code, problem }, shown = [] }: RefusalProps) {
  const facts: Partial<Problem> = problem ?? {};
  const {
    alternatives = [],
    total_price,
    refund_amount,
    currency = '',
    seats_available,
    errors = [],
  } = facts;
  return (
    <section class="notice" role="alert" data-code={code}>
      <h2>{TITLES[code] ?? 'This is not possible'}</h2>
      {seats_available !== undefined && <p>{`${seats_available} seats are free.`}</p>}
      {total_price !== undefined && <p>The price is {money(total_price, currency)} now.</p>}
      {refund_amount !== undefined && <p>The refund is {money(refund_amount, currency)} now.</p>}
      {errors
        .filter(({ field }) => !shown.includes(field.split('.')[0]!))
        .map(({ field, message }) => (
          <p>{`${field}: ${message}`}</p>
        ))}
      {alternatives.length > 0 && <p>These departures have enough seats:</p>}
      <ul>
        {alternatives.map(({ departure_date, departure_time, seats_available: seats }) => (
          <li>
            <a href={`?date=${departure_date}&time=${departure_time ?? ''}#party`}>
              {longDate(departure_date, departure_time)}
            </a>
            {`: ${seats} seats`}
          </li>
        ))}
      </ul>
    </section>
  );
}

const TITLES: Partial<Record<ProblemCode, string>> = {
  insufficient_seats: 'There are not enough seats on this date',
  departure_gone: 'This departure is no longer sold: choose another date',
  departure_cancelled: 'This departure is cancelled: choose another date',
  hold_expired: 'The time to pay is over',
  price_changed: 'The price has changed',
  refund_changed: 'The refund has changed',
  validation_failed: 'Please check your input',
  tour_not_found: 'This tour is not for sale',
};
