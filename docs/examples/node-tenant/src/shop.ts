import { fileURLToPath } from 'node:url';
import type { TourPlatform } from '@tour-platform/client';
import express from 'express';
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
  shop.use(express.urlencoded({ extended: false }));
  shop.use(searchTours(platform));
  shop.use(showTour(platform, orders));
  shop.use(sell(platform, orders));
  shop.use(changeDates(platform, orders));
  shop.use(showRefusal);
  return shop;
}
