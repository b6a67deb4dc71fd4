import { departureOf, insertHold, insertLead } from '../catalog/catalog-rows';
import { givenDeparture, givenTenant, givenTour } from '../support/given';
import { useTestTerminal } from './terminal';

const terminal = useTestTerminal();
let holdId: string;
let endpoint: string;

beforeAll(async () => {
  const acme = await givenTenant(terminal.db, { slug: 'acme-travel' });
  const tour = await givenTour(terminal.db, { slug: 'dolomites-hut-to-hut' });
  await givenDeparture(terminal.db, tour, { date: '2031-06-01' });
  await terminal.db('pickup_points').insert({ code: 'plaza', name: 'Plaza', translations: '{}' });
  const departure = await departureOf(terminal.db, tour.slug, '2031-06-01');
  holdId = await insertHold(terminal.db, acme.id, departure.id, 1);
  await insertLead(terminal.db, acme.id, departure, 'ACME-1042');
  endpoint = (await terminal.json('webhook add acme-travel https://acme.example/hook')).id;
});

const other = (id: string) => `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
const messageOf = async (line: string) => (await terminal.tourctl(`${line} --json`)).error.message;

describe('an unknown name', () => {
  it.each([
    ['tenant show acme-trvel', '(Did you mean acme-travel?)'],
    ['tenant show acme', '(Did you mean acme-travel?)'],
    ['departure list dolomites-hut-to-hat', '(Did you mean dolomites-hut-to-hut?)'],
    ['catalog publish dolomites', '(Did you mean dolomites-hut-to-hut?)'],
    ['booking list --tenant acme-travle', '(Did you mean acme-travel?)'],
    ['booking show ACME-1024', '(Did you mean ACME-1042?)'],
    ['pickup set plza --name Plaza', '(Did you mean plaza?)'],
  ])('the error suggests the nearest known name: %s', async (line, suggestion) => {
    expect(await messageOf(line)).toMatch(new RegExp(`${suggestion.replace(/[()?]/g, '\\$&')}$`));
  });

  it('the error suggests the nearest known id', async () => {
    expect(await messageOf(`hold show ${other(holdId)}`)).toContain(`(Did you mean ${holdId}?)`);
    const key = await terminal.json('key issue acme-travel --scope catalog:read');
    expect(await messageOf(`key revoke ${other(key.id)} --yes`)).toContain(`(Did you mean ${key.id}?)`);
    expect(await messageOf(`webhook pause ${other(endpoint)}`)).toContain(`(Did you mean ${endpoint}?)`);
  });

  it('the error suggests the nearest id of the newest deliveries', async () => {
    const { delivery } = await terminal.json(`webhook ping ${endpoint}`);
    expect(await messageOf(`delivery show ${other(delivery)}`)).toContain(`(Did you mean ${delivery}?)`);
  });

  it('the error suggests nothing if the name resembles no known name', async () => {
    const { code, error } = await terminal.tourctl('tenant show nowhere-at-all --json');
    expect([code, error]).toEqual([
      1,
      { code: 'tenant_not_found', message: expect.not.stringContaining('Did you mean') },
    ]);
  });

  it('the error suggests nothing for an empty name', async () => {
    const { code, error } = await terminal.tourctl(['departure', 'list', '', '--json']);
    expect([code, error]).toEqual([1, { code: 'tour_not_found', message: 'There is no tour ""' }]);
  });
});
