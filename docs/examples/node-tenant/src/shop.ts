import express, { type NextFunction, type Request, type Response } from 'express';
import { showCatalog } from './catalog.js';
import { sell } from './checkout.js';
import type { Orders } from './orders.js';
import { Refused, type TourPlatform } from './tour-platform.js';
import { receiveWebhooks } from './webhooks.js';

/** The website's server. */
export function createShop(platform: TourPlatform, orders: Orders, webhookSecret: string) {
  const shop = express();
  shop.use(receiveWebhooks(webhookSecret, orders));
  shop.use(express.json());
  shop.use(showCatalog(platform));
  shop.use(sell(platform, orders));
  shop.use(answerRefusal);
  return shop;
}

/** Tells the visitor the next step, and logs the details. */
function answerRefusal(error: unknown, _request: Request, response: Response, next: NextFunction): void {
  if (!(error instanceof Refused)) return next(error);
  const { code, status, request_id, alternatives, seats_available, total_price, errors } = error.problem;
  console.warn(`${error.message} (request ${request_id})`);
  if (status === 404 || status === 409 || code === 'validation_failed') {
    response.status(status).json({ code, alternatives, seats_available, total_price, errors });
  } else {
    response.status(503).json({ code: 'try_again_later' });
  }
}
