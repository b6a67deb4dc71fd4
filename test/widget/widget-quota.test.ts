import http from 'node:http';
import { useTestApi } from '../support/api';
import { givenTenant } from '../support/given';
import { givenWidgetToken } from './given-widget';

const WIDE = { availability: 1e6, hold: 1e6, booking: 1e6, catalog: 1e6 };

const api = useTestApi({ quotas: { ...WIDE, widget: 150 } });

/**
 * Requests the path from an address of 127.0.0.0/8. All these addresses belong to this machine, and the quota counts each as a
 * separate client.
 */
function statusFrom(localAddress: string, path: string): Promise<{ status: number; policy: string }> {
  return new Promise((resolve, reject) => {
    const request = http.get(`${api.baseUrl}${path}`, { localAddress, agent: false }, (response) => {
      response.resume();
      resolve({ status: response.statusCode!, policy: String(response.headers['ratelimit-policy']) });
    });
    request.on('error', reject);
  });
}

describe('the quota of a widget token', () => {
  it('requests of one address above 120 a minute do not use up the quota of the token', async () => {
    const { db } = api;
    const { token } = await givenWidgetToken(db, await givenTenant(db));
    const path = `/api/widget/tours?token=${token}`;

    const visits = [];
    for (let n = 0; n < 200; n++) visits.push(await statusFrom('127.0.0.1', path));

    expect(visits.filter(({ status }) => status === 200)).toHaveLength(120);
    expect(visits.at(-1)).toEqual({ status: 429, policy: '"widget-address";q=120;w=60' });
    expect(await statusFrom('127.0.0.2', path)).toEqual({
      status: 200,
      policy: '"widget";q=150;w=60, "widget-address";q=120;w=60',
    });
  });
});
