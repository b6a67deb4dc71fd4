import { tourOf } from '../catalog/catalog-rows';
import { useTestApi } from '../support/api';
import { givenDeparture, givenKey, givenTenant, givenTour } from '../support/given';
import { useTerminalOf } from './terminal';

const api = useTestApi();
const terminal = useTerminalOf(api);
let key: string;

beforeAll(async () => {
  key = await givenKey(api.db, await givenTenant(api.db));
  const alps = await givenTour(api.db, { slug: 'alps', name: 'Alps', status: 'draft' });
  await givenDeparture(api.db, alps, { date: '2031-06-01' });
  await givenTour(api.db, { slug: 'empty', name: 'Empty', status: 'draft' });
});

const catalog = (line: string) => terminal.tourctl(`catalog ${line} --json`);
const lastAudit = async () => (await terminal.json('audit list --limit 1')).items[0];
const readTour = () => api.http.get('/api/tenant/tours/alps').set('authorization', `Bearer ${key}`);

describe('tourctl catalog publish and archive', () => {
  it('tourctl catalog publish and archive change what the API shows, each with one audit row', async () => {
    const { revision } = await tourOf(api.db, 'alps');
    expect((await readTour()).status).toBe(404);

    const published = await catalog('publish alps');
    expect(published.json).toMatchObject({ slug: 'alps', status: 'published', upcoming_departures: 1 });
    expect((await readTour()).status).toBe(200);
    expect(await lastAudit()).toMatchObject({
      action: 'catalog.publish',
      subject: 'alps',
      before: { status: 'draft' },
      after: { status: 'published' },
    });

    const archived = await terminal.tourctl('catalog archive alps');
    expect(archived.stdout).toBe('alps is archived: no tenant sees it; its holds and bookings stay\n');
    expect((await readTour()).status).toBe(404);
    expect(await lastAudit()).toMatchObject({ action: 'catalog.archive', after: { status: 'archived' } });
    expect((await tourOf(api.db, 'alps')).revision).toBe(revision + 2);
  });

  it('tourctl catalog archive leaves no audit row for a tour that is already archived', async () => {
    await catalog('archive alps');
    const before = await lastAudit();
    expect((await catalog('archive alps')).json.status).toBe('archived');
    expect(await lastAudit()).toEqual(before);
  });

  it('tourctl catalog publish warns of a tour without departures, and names the command that adds one', async () => {
    const { stdout, stderr } = await terminal.tourctl('catalog publish empty');
    expect(stdout).toBe('empty is published; 0 departures can be booked\n');
    expect(stderr).toBe(
      'warning: empty has no departure that can be booked: tourctl departure add empty <date> adds one\n',
    );
  });

  it('tourctl catalog publish gives up if a sale keeps a departure of the tour locked', async () => {
    const sale = await api.db.transaction();
    await sale('departures').where({ departure_date: '2031-06-01' }).forUpdate();
    try {
      expect(await terminal.refusal('catalog publish alps')).toBe('1 catalog_busy');
    } finally {
      await sale.rollback();
    }
  });

  it.each(['show', 'publish', 'archive'])(
    'tourctl catalog exits with 1 for an unknown tour: %s',
    async (verb) => {
      expect(await terminal.refusal(`catalog ${verb} nowhere`)).toBe('1 tour_not_found');
    },
  );
});

describe('tourctl catalog show', () => {
  it('tourctl catalog show shows every field of a catalog file, and the number of open departures', async () => {
    const { json } = await catalog('show alps');
    const exported = await terminal.json('catalog export');
    const { departures: _, ...fields } = exported.find(({ slug }: { slug: string }) => slug === 'alps');
    expect(json).toMatchObject({ ...fields, upcoming_departures: 1, next_departure_date: '2031-06-01' });
  });

  it('tourctl catalog show shows only fields that have a value, and the itinerary by day', async () => {
    await api
      .db('tours')
      .where({ slug: 'alps' })
      .update({
        itinerary: JSON.stringify([{ day: 1, title: 'To the hut' }]),
        start_location: JSON.stringify({ name: 'Innsbruck', lat: 47.27, lng: 11.39 }),
      });
    const { stdout } = await terminal.tourctl('catalog show alps');
    expect(stdout).toMatch(/^slug +alps$/m);
    expect(stdout).toMatch(/^start_location +Innsbruck \(47\.27, 11\.39\)$/m);
    expect(stdout).toMatch(/^DAY +ITINERARY\n1 +To the hut$/im);
    expect(stdout).not.toContain('end_location');
  });
});
