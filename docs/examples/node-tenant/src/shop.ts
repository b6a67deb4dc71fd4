import { fileURLToPath } from 'node:url';
import type { TourPlatform } from '@tour-platform/client';
import express, { type NextFunction, type Request, type Response } from 'express';
import { changeDates } from './change-date.js';
import { sell } from './checkout.js';
import type { Orders } from './orders.js';
import { showRefusal } from './refusal.js';
import { searchTours } from './search.js';
import { showTour } from './tour.js';
import { receiveWebhooks } from './webhooks.js';

/** The website. Visitors see pages only; the API key stays on the server. */
export function createShop(platform: TourPlatform, orders: Orders, webhookSecret: string) {
  const shop = express();
  shop.use(express.static(fileURLToPath(new URL('../public', import.meta.url))));
  shop.use(receiveWebhooks(webhookSecret, orders));
  shop.use(express.urlencoded({ extended: false }), refuseOtherBodies);
  shop.use(searchTours(platform));
  shop.use(showTour(platform, orders));
  shop.use(sell(platform, orders));
  shop.use(changeDates(platform, orders));
  shop.use(showRefusal);
  return shop;
}

/** Answers 415 to a POST that is no form: the handlers read the fields of a form. */
function refuseOtherBodies({ method, body }: Request, response: Response, next: NextFunction): void {
  if (method === 'POST' && body === undefined) response.sendStatus(415);
  else next();
}
