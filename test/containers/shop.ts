import { chownSync, copyFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../stack/docker-files';
import { CUSTOMER } from '../support/website';
import { type Installation, OPERATOR } from './installation';

/** A tenant of an installation, and a departure with many seats. */
export interface ContainerShop {
  authorization: string;
  tour: string;
  date: string;
}

const SEATS = '5000';

/** Imports a catalog and opens a shop by tourctl in its container, with files in docker/files. */
export async function openShop({ files, tourctl }: Installation): Promise<ContainerShop> {
  const seeds = ['demo-resources.json', 'demo-pickup-points.json', 'demo-tours.json'];
  for (const seed of seeds) {
    copyFileSync(path.join(ROOT, 'seeds', seed), path.join(files, seed));
    chownSync(path.join(files, seed), OPERATOR, OPERATOR);
  }
  const succeed = async (...args: string[]) => {
    const { code, stdout, stderr } = await tourctl(args);
    if (code !== 0) throw new Error(`tourctl ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
    return stdout;
  };
  await succeed('catalog', 'import', ...seeds);
  await succeed('tenant', 'create', '--slug', 'acme', '--name', 'Acme', '--status', 'active');
  const scopes = 'catalog:read,booking:create,booking:read';
  await succeed('key', 'issue', 'acme', '--scope', scopes, '--out', 'acme.key');
  const tour = 'ha-long-bay-cruise';
  const date = new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10);
  await succeed('departure', 'add', tour, date, '--seats', SEATS, '--adult', '480', '--yes');
  const key = readFileSync(path.join(files, 'acme.key'), 'utf8').trim();
  return { authorization: `Bearer ${key}`, tour, date };
}

/** Holds a seat and books it. @returns the reference of the booking @throws Error with the answer, if one is refused */
export async function buy(url: string, shop: ContainerShop, reference: string): Promise<string> {
  const send = async (route: string, body: object) => {
    const response = await fetch(`${url}${route}`, {
      method: 'POST',
      headers: {
        authorization: shop.authorization,
        'content-type': 'application/json',
        'idempotency-key': `${reference}-${route}`,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    if (response.status !== 201) throw new Error(`${route} answered ${response.status}: ${text}`);
    return JSON.parse(text);
  };
  const hold = await send(`/api/gateway/tours/${shop.tour}/hold`, {
    departure_date: shop.date,
    quantity: 1,
  });
  const order = { ...CUSTOMER, tour_id: shop.tour, hold_id: hold.hold_id, external_ref: reference };
  return (await send('/api/tenant/bookings', order)).booking_ref;
}

/** @returns the status of the answer: 200 where the booking exists */
export async function askForBooking(url: string, shop: ContainerShop, booking: string): Promise<number> {
  const headers = { authorization: shop.authorization };
  return (await fetch(`${url}/api/tenant/bookings/${booking}`, { headers })).status;
}
