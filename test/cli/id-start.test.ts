import { findTenant } from '../../services/api/tenants/manage-tenants';
import { departureOf, insertHold } from '../catalog/catalog-rows';
import { givenDeparture, givenTenant, givenTour } from '../support/given';
import { describeOnTerminal, KEY } from '../support/pseudo-terminal';
import { useTestTerminal } from './terminal';

const terminal = useTestTerminal();
const ids = { key: '', widget: '', hold: '', other: '', endpoint: '', delivery: '' };

beforeAll(async () => {
  const { db } = terminal;
  const acme = await givenTenant(db, { slug: 'acme' });
  const departure = await departureOf(
    db,
    'alps',
    await givenDeparture(db, await givenTour(db, { slug: 'alps' })),
  );
  ids.key = (await terminal.json('key issue acme --scope catalog:read --name Shop')).id;
  ids.widget = (await terminal.json('widget issue acme --origin https://acme.example')).id;
  ids.hold = await insertHold(db, acme.id, departure.id, 1);
  ids.other = await insertHold(db, acme.id, departure.id, 2);
  await db('seat_holds').where({ id: ids.hold }).update({ id: 'abcd1111-0000-7000-8000-000000000001' });
  await db('seat_holds').where({ id: ids.other }).update({ id: 'abcd2222-0000-7000-8000-000000000002' });
  ids.hold = 'abcd1111-0000-7000-8000-000000000001';
  ids.endpoint = (await terminal.json('webhook add acme https://acme.example/hooks')).id;
  ids.delivery = (await terminal.json(`webhook ping ${ids.endpoint}`)).delivery;
});

describe('the beginning of an id', () => {
  it('the beginning of an id names a key, a widget token, a hold, an endpoint and a delivery', async () => {
    expect((await terminal.json(`hold show ${ids.hold.slice(0, 5)}`)).id).toBe(ids.hold);
    expect((await terminal.json(`hold show ${ids.hold.slice(0, 9).toUpperCase()}`)).id).toBe(ids.hold);
    expect((await terminal.json(`webhook show ${ids.endpoint.slice(0, 4)}`)).id).toBe(ids.endpoint);
    expect((await terminal.json(`delivery show ${ids.delivery.slice(0, 20)}`)).id).toBe(ids.delivery);
    const { items } = await terminal.json(`delivery list --endpoint ${ids.endpoint.slice(0, 6)}`);
    expect(items.map(({ id }: { id: string }) => id)).toEqual([ids.delivery]);
    expect((await terminal.json(`widget revoke ${ids.widget.slice(0, 6)} --yes`)).id).toBe(ids.widget);
    expect((await terminal.json(`key rotate ${ids.key.slice(0, 6)}`)).id).not.toBe(ids.key);
  });

  it('the beginning of an id names the hold that a booking takes over, and the import that is undone', async () => {
    const { db } = terminal;
    const party = '--tenant acme --party adult=1';
    const { departure_date: date } = (await terminal.json('departure list alps')).items[0];
    const { id } = await terminal.json(`hold add alps ${date} ${party}`);
    const guest = '--tenant acme --name Ana --phone +4930901820';
    const sold = await terminal.json(`booking add --hold ${id.slice(0, 30)} ${guest}`);
    expect(sold.hold_id).toBe(id);
    const tenant = await findTenant(db, 'acme');
    const [imported] = await db('booking_imports')
      .insert({ tenant_id: tenant.id, created_by: 'olga', silent: true, key_check: 'k' })
      .returning('id');
    const undone = await terminal.json(`booking import --undo ${imported.id.slice(0, 8)} --yes`);
    expect(undone).toMatchObject({ import_id: imported.id, cancelled: 0 });
  });

  it('the beginning of several ids changes nothing, and the error lists the candidates', async () => {
    const { code, error } = await terminal.tourctl('hold release abcd --yes --json');
    expect([code, error.code]).toEqual([2, 'usage_error']);
    expect(error.message).toContain(`\n${ids.hold}\nabcd2222-`);
    expect((await terminal.json(`hold show ${ids.hold}`)).status).toBe('active');
  });

  it.each([
    ['hold show ffff', '1 hold_not_found'],
    ['key revoke 0000 --yes', '1 api_key_not_found'],
    ['widget revoke 0000 --yes', '1 widget_token_not_found'],
    ['webhook pause ffff', '1 endpoint_not_found'],
    ['delivery show ffff', '1 delivery_not_found'],
    ['booking add --hold ffff --tenant acme --name Ana --phone 030901820', '1 hold_not_found'],
    ['booking import --undo ffff --yes', '1 import_not_found'],
    ['hold show abc', '2 usage_error'],
    ['hold show zzzz', '2 usage_error'],
    ['key revoke abc --yes', '2 usage_error'],
    ['hold show', '2 usage_error'],
  ])('the beginning of an id is refused if it is too short or no id begins so: %s', async (line, refused) => {
    expect(await terminal.refusal(line)).toBe(refused);
  });

  it('the beginning of an id names no removed endpoint', async () => {
    const { id } = await terminal.json('webhook add acme https://acme.example/old');
    await terminal.tourctl(`webhook remove ${id} --yes`);
    expect(await terminal.refusal(`webhook show ${id.slice(0, 30)}`)).toBe('1 endpoint_not_found');
  });
});

describeOnTerminal('a missing id on a terminal', () => {
  it('a missing id on a terminal is chosen from a list, which typed text shortens', async () => {
    const person = terminal.sit('hold release');
    await person.answer('Which hold?', 'abcd1');
    // Enter has no effect while the list is still the earlier one.
    await person.answer('❯ abcd1111', KEY.enter);
    await person.answer('Release 1 seat of alps', 'y', KEY.enter);
    expect(await person.ended).toBe(0);
    expect((await terminal.json(`hold show ${ids.hold}`)).status).toBe('released');
  });

  it('a missing id on a terminal is a usage error if there is nothing to choose from', async () => {
    await terminal.db('widget_tokens').update({ revoked_at: new Date() });
    const person = terminal.sit('widget rotate');
    expect(await person.ended).toBe(2);
    expect(person.shown).toContain('<id> is missing, and there is no widget token to choose from');
  });

  it('Ctrl-C in the choice of an id on a terminal changes nothing', async () => {
    const person = terminal.sit('webhook pause');
    await person.answer('Which webhook endpoint?', KEY.ctrlC);
    expect(await person.ended).toBe(130);
    expect((await terminal.json(`webhook show ${ids.endpoint}`)).status).toBe('active');
  });
});
