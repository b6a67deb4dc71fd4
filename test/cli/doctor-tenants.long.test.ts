import { departureOf, insertHold, insertLead } from '../catalog/catalog-rows';
import { givenDeparture, givenTour, givenVisibilityRule } from '../support/given';
import { checkOf, followAdvice, notice } from './doctor-check';
import { useTestTerminal } from './terminal';

const terminal = useTestTerminal();
beforeAll(async () => {
  await terminal.tourctl('tenant create --slug acme --name Acme --status active');
});

const check = (name: string) => checkOf(terminal, name);

describe('tourctl doctor on the settings of tenants', () => {
  it('tourctl doctor reports a widget token without an allowed site', async () => {
    await terminal.tourctl('widget issue acme');
    expect(await check('origins')).toMatchObject(notice('acme'));
    await terminal.tourctl('origins add acme acme.example');
    expect((await check('origins')).status).toBe('ok');
  });

  it('tourctl doctor reports http://localhost as an origin after the trial', async () => {
    await terminal.tourctl('tenant create --slug young --name Young');
    await terminal.tourctl('origins add young http://localhost:3000 --dev');
    expect((await check('development-origins')).status).toBe('ok');
    await terminal.tourctl('tenant activate young');
    expect(await check('development-origins')).toMatchObject({ code: 0, status: 'notice' });
    await followAdvice(terminal, 'development-origins');
    expect((await check('development-origins')).status).toBe('ok');
  });

  it('tourctl doctor reports tenants whose widget has no link, or a link to http://localhost after the trial', async () => {
    await terminal.tourctl('tenant create --slug linkless --name Linkless');
    const noted = async () => (await check('links')).detail;
    expect(await noted()).not.toContain('linkless');
    await terminal.tourctl('widget issue linkless');
    expect(await noted()).toContain('linkless');
    expect((await check('links')).commands).toContain(
      "tourctl tenant set linkless --link-template 'https://SITE/tours/{slug}'",
    );
    await terminal.tourctl('tenant set linkless --link-template http://localhost:3000/tours/{slug}');
    expect(await noted()).not.toContain('linkless');
    await terminal.tourctl('tenant activate linkless');
    expect(await noted()).toContain('linkless');
    const refused = await terminal.tourctl(
      'tenant set linkless --link-template http://localhost:3000/tours/{slug} --json',
    );
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('only a tenant on trial')]);
    await terminal.tourctl('tenant set linkless --link-template https://linkless.example/{slug}');
    expect(await noted()).not.toContain('linkless');
  });

  it('tourctl doctor reports tenants that see no tour, whichever rule hides it', async () => {
    const { id } = await givenTour(terminal.db, { slug: 'alps', continent: 'europe' });
    expect((await check('visibility')).status).toBe('ok');
    const blind = async () => (await check('visibility')).commands;
    const acme = 'tourctl visibility show acme';
    for (const [hide, show] of [
      ['deny acme', 'allow acme'],
      ['deny acme --continent europe', 'clear acme --continent europe'],
      ['deny acme --tour alps', 'clear acme --tour alps'],
    ]) {
      await terminal.tourctl(`visibility ${hide}`);
      expect(await blind()).toEqual([acme]);
      await terminal.tourctl(`visibility ${show}`);
      expect(await blind()).toEqual([]);
    }
    await terminal.tourctl('visibility deny acme');
    await terminal.tourctl('visibility allow acme --continent europe');
    expect(await blind()).toEqual([]);
    await terminal.db('tours').where({ id }).update({ status: 'draft' });
    await givenTour(terminal.db, { slug: 'andes', continent: 'south-america' });
    expect(await blind()).toEqual([acme]);
    await terminal.tourctl('tenant suspend acme --yes');
    expect(await blind()).toEqual([]);
    await terminal.tourctl('tenant activate acme');
    await terminal.tourctl('visibility allow acme');
  });

  it('tourctl doctor reports rules for continents without tours, and names the command that clears them', async () => {
    const tenant = await terminal.db('tenants').where({ slug: 'acme' }).first();
    await givenVisibilityRule(terminal.db, { tenant }, 'atlantis', false);
    expect(await check('visibility-rules')).toMatchObject({ code: 0, status: 'notice' });
    await followAdvice(terminal, 'visibility-rules');
    expect((await check('visibility-rules')).status).toBe('ok');
  });

  it('tourctl doctor reports a tenant whose unpaid seats fill a departure, without those of the desk, if several tenants exist', async () => {
    const { db } = terminal;
    const date = await givenDeparture(db, await givenTour(db, { slug: 'fuji' }), { seats: 4 });
    const departure = await departureOf(db, 'fuji', date);
    const seller = await db('tenants').where({ slug: 'acme' }).first('id');
    await db('tenants').whereNot({ slug: 'acme' }).update({ status: 'suspended' });
    await insertHold(db, seller.id, departure.id, 3);
    await insertLead(db, seller.id, departure, 'ACME-9001', { adults: 1 });
    expect((await check('hold-shares')).status).toBe('ok');
    await terminal.tourctl('tenant create --slug second --name Second');
    expect(await check('hold-shares')).toMatchObject(notice(`fuji on ${date} (acme)`));
    await followAdvice(terminal, 'hold-shares');
    expect((await check('hold-shares')).status).toBe('ok');
    expect((await terminal.json('tenant show acme')).max_hold_share).toBe(50);
    await terminal.tourctl('tenant set acme --max-hold-share 100');
    await db('booking_leads').where({ booking_ref: 'ACME-9001' }).update({ source: 'desk' });
    expect((await check('hold-shares')).status).toBe('ok');
    await db('booking_leads').where({ booking_ref: 'ACME-9001' }).update({ source: 'tenant_api' });
    expect((await check('hold-shares')).status).toBe('notice');
    await db('seat_holds').update({ by_desk: true });
    expect((await check('hold-shares')).status).toBe('ok');
  });

  it('tourctl doctor accepts the default hold share of a tenant that fills no departure', async () => {
    for (const slug of ['third', 'fourth'])
      await terminal.tourctl(`tenant create --slug ${slug} --name ${slug}`);
    expect((await terminal.json('tenant show third')).max_hold_share).toBe(100);
    expect((await check('hold-shares')).status).toBe('ok');
  });

  it('tourctl doctor reports price rules that never apply, with the reason and the command that removes them', async () => {
    await givenTour(terminal.db, { slug: 'gone', status: 'archived' });
    await terminal.tourctl('pricing add acme --percent 3 --continent south-america');
    expect((await check('prices')).status).toBe('ok');
    for (const [flags, why] of [
      ['--percent 5 --travel-from 2020-01-01 --travel-to 2020-02-01', 'travel dates that are over'],
      ['--percent 5 --tour gone', 'an archived tour'],
      ['--percent 5 --continent atlantis', 'a continent that no tour is in'],
    ]) {
      const move = (continent: string) => terminal.db('tours').where({ slug: 'gone' }).update({ continent });
      await move('atlantis');
      const { id } = await terminal.json(`pricing add acme ${flags}`);
      await move('asia');
      expect((await check('prices')).detail).toContain(`${id} of acme (for ${why})`);
      await followAdvice(terminal, 'prices');
      expect((await check('prices')).status).toBe('ok');
    }
    const { id } = await terminal.json('pricing add acme --amount 5');
    await terminal.tourctl('tenant set acme --currency USD');
    expect((await check('prices')).detail).toContain(`${id} of acme (in another currency`);
    await terminal.tourctl('tenant set acme --currency EUR');
    await terminal.tourctl('pricing add acme --percent 1');
    expect((await check('prices')).detail).toContain(`${id} of acme (a newer rule always overrides it`);
  });
});
