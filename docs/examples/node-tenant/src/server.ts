import { createClient } from '@tour-platform/client';
import { createOrders } from './orders.js';
import { createShop } from './shop.js';

// Listens on this machine only, unless HOST names another address: a visitor must not see the inbox of webhooks.
const { API = 'http://127.0.0.1:3000', HOST = '127.0.0.1', PORT = '4000' } = process.env;

const platform = createClient({ baseUrl: API, apiKey: setting('KEY') });
createShop(platform, createOrders(), setting('WEBHOOK_SECRET')).listen(Number(PORT), HOST, () => {
  console.log(`The shop is on http://${HOST}:${PORT}`);
});

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} must be set: README.md says to what.`);
  return value;
}
