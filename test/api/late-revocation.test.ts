import { once } from 'node:events';
import { connect } from 'node:net';
import { revokeCredential } from '../../services/api/credentials/manage-credentials';
import { changeTenantStatus, findTenantForChange } from '../../services/api/tenants/manage-tenants';
import { inTransaction } from '../../services/platform/database';
import { useTestApi } from '../support/api';
import { givenDeparture, givenKey, givenTenant, givenTour } from '../support/given';

const api = useTestApi();

/** Sends a hold whose body comes in two parts, with time between them. */
async function beginHold(): Promise<{ key: string; tenant: string; finish: () => Promise<string> }> {
  const { db } = api;
  const tenant = await givenTenant(db);
  const key = await givenKey(db, tenant);
  const tour = await givenTour(db);
  const body = JSON.stringify({ departure_date: await givenDeparture(db, tour), quantity: 1 });
  const socket = connect(Number(new URL(api.baseUrl).port), '127.0.0.1');
  socket.write(
    [
      `POST /api/gateway/tours/${tour.slug}/hold HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Connection: close',
      '',
      body.slice(0, 5),
    ].join('\r\n'),
  );
  // Waits until the API has checked the credential.
  await new Promise((resolve) => setTimeout(resolve, 200));
  const finish = async () => {
    socket.write(body.slice(5));
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    await once(socket, 'close');
    return answer;
  };
  return { key, tenant: tenant.slug, finish };
}

describe('a write whose body arrives late', () => {
  it('the API accepts a write whose body arrives late if its key is still valid', async () => {
    const { finish } = await beginHold();
    expect(await finish()).toMatch(/^HTTP\/1.1 201 /);
  });

  it('the API refuses a write if its key is revoked before the body is complete', async () => {
    const { db } = api;
    const { key, finish } = await beginHold();
    const before = await db('seat_holds').count('* as n').first();
    await inTransaction(db, (trx) => revokeCredential(trx, 'api_key', key.split('_')[2]!));

    const answer = await finish();

    expect(answer).toMatch(/^HTTP\/1.1 401 /);
    expect(answer).toContain('"code":"key_revoked"');
    expect(await db('seat_holds').count('* as n').first()).toEqual(before);
  });

  it('the API refuses a write if its tenant is suspended before the body is complete', async () => {
    const { db } = api;
    const { tenant, finish } = await beginHold();
    await inTransaction(db, async (trx) =>
      changeTenantStatus(trx, await findTenantForChange(trx, tenant), 'suspended'),
    );

    expect(await finish()).toContain('"code":"tenant_inactive"');
  });
});
