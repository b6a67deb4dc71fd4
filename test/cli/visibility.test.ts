import { givenTour, givenVisibilityRule } from '../support/given';
import { useTestTerminal } from './terminal';

const terminal = useTestTerminal();
const empty = useTestTerminal();
beforeAll(async () => {
  await terminal.tourctl('tenant create --slug acme --name Acme');
  await givenTour(terminal.db, { slug: 'alps', name: 'Alps', continent: 'europe' });
  await givenTour(terminal.db, { slug: 'andes', name: 'Andes', continent: 'south-america' });
  await givenTour(terminal.db, { slug: 'hidden-draft', continent: 'europe', status: 'draft' });
});

const visibility = (line: string) => terminal.tourctl(`visibility ${line} --json`);

describe('tourctl visibility', () => {
  it('tourctl visibility shows the default visibility and the rules', async () => {
    expect((await visibility('show acme')).json).toEqual({
      tenant: 'acme',
      visibility: 'all',
      continents: [],
      tours: [],
    });
  });

  it('tourctl visibility sets and clears rules of tours, continents and the default', async () => {
    expect((await visibility('deny acme')).json.visibility).toBe('none');
    expect((await visibility('allow acme --continent europe')).json.continents).toEqual([
      { continent: 'europe', visible: true },
    ]);
    const denied = await visibility('deny acme --tour alps --tour andes');
    expect(denied.json.tours).toMatchObject([
      { slug: 'alps', visible: false },
      { slug: 'andes', visible: false },
    ]);
    const { id } = denied.json.tours[0];
    expect((await visibility(`allow acme --tour ${id.toUpperCase()}`)).json.tours[0]).toMatchObject({
      slug: 'alps',
      visible: true,
    });
    await visibility('clear acme --tour alps --tour andes --continent europe');
    expect((await visibility('allow acme')).json).toMatchObject({
      visibility: 'all',
      continents: [],
      tours: [],
    });
  });

  it('tourctl visibility explains which rule decides and which it overrides', async () => {
    const explain = async () => {
      const { visible, decided_by, beaten } = (await visibility('explain acme alps')).json;
      return { visible, by: decided_by.kind, beaten: beaten.map((rule: { kind: string }) => rule.kind) };
    };
    expect(await explain()).toEqual({ visible: true, by: 'default', beaten: [] });
    await visibility('deny acme --continent europe');
    expect(await explain()).toEqual({ visible: false, by: 'continent', beaten: ['default'] });
    await visibility('allow acme --tour alps');
    expect(await explain()).toEqual({ visible: true, by: 'tour', beaten: ['continent', 'default'] });
    const draft = (await visibility('explain acme hidden-draft')).json;
    expect(draft).toMatchObject({
      visible: false,
      decided_by: { kind: 'status' },
      tour: { status: 'draft' },
    });
    const { stdout } = await terminal.tourctl('visibility explain acme alps');
    expect(stdout).toBe(
      'alps is shown for acme\n  decided by the tour rule (alps: shown)\n' +
        "  it overrides the continent rule (europe: hidden): a tour's rule overrides a continent's\n" +
        '  it overrides the default rule (everything: shown): any rule overrides the default\n',
    );
    await visibility('clear acme --tour alps --continent europe');
  });

  it('tourctl visibility explains that no rule shows an archived tour, and none shows tours to a suspended tenant', async () => {
    await givenTour(terminal.db, { slug: 'old-tour', continent: 'europe', status: 'archived' });
    await terminal.tourctl('tenant create --slug asleep --name Asleep');
    await visibility('allow asleep --tour old-tour');
    const archived = (await visibility('explain asleep old-tour')).json;
    expect(archived).toMatchObject({
      visible: false,
      decided_by: { kind: 'status', of: 'archived' },
      beaten: [
        { kind: 'tour', visible: true, of: 'old-tour', reason: 'no rule can show a tour that is archived' },
        { kind: 'default', visible: true, of: null },
      ],
    });
    await terminal.tourctl('tenant suspend asleep --yes');
    const suspended = (await visibility('explain asleep old-tour')).json;
    expect(suspended).toMatchObject({
      visible: false,
      tenant_status: 'suspended',
      decided_by: { kind: 'tenant', of: 'suspended' },
      commands: ['tourctl tenant activate asleep'],
    });
    expect(suspended.beaten.map((rule: { kind: string }) => rule.kind)).toEqual([
      'status',
      'tour',
      'default',
    ]);
  });

  it('tourctl visibility names the command that shows a hidden tour', async () => {
    await visibility('deny acme --continent europe');
    const { stderr } = await terminal.tourctl('visibility explain acme alps');
    const [command] = (await visibility('explain acme alps')).json.commands;
    expect(stderr).toContain(command);
    await terminal.tourctl(command.replace('tourctl ', ''));
    expect((await visibility('explain acme alps')).json).toMatchObject({ visible: true, commands: [] });
    await visibility('clear acme --tour alps --continent europe');
  });

  it('tourctl visibility warns of a visible tour without a departure that can be booked', async () => {
    expect((await visibility('explain acme alps')).json.upcoming_departures).toBe(0);
    expect((await terminal.tourctl('visibility explain acme alps')).stderr).toContain(
      'The tour has no departure that can be booked',
    );
  });

  it('tourctl visibility leaves an audit row only for a change', async () => {
    const rows = async () => (await terminal.json('audit list --limit 1000')).items;
    const before = (await rows()).length;
    await visibility('deny acme --tour andes');
    await visibility('deny acme --tour andes');
    await visibility('clear acme --continent south-america');
    const after = await rows();
    expect(after.length).toBe(before + 1);
    expect(after[0]).toMatchObject({
      action: 'visibility.deny',
      tenant: 'acme',
      before: { tours: [] },
      after: { tours: [{ slug: 'andes', visible: false }] },
    });
  });

  it.each(['allow', 'deny', 'clear'])(
    'tourctl visibility %s refuses a continent that no tour is in, and suggests the nearest',
    async (verb) => {
      const { code, stdout, stderr } = await terminal.tourctl(`visibility ${verb} acme --continent europa`);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toBe(
        'error: No tour is in the continent "europa": tourctl catalog list shows the continents (Did you mean europe?)\n',
      );
    },
  );

  it('tourctl visibility clears a rule of a continent that has no tours any more', async () => {
    const tenant = await terminal.db('tenants').where({ slug: 'acme' }).first();
    await givenVisibilityRule(terminal.db, { tenant }, 'atlantis', false);
    expect((await visibility('clear acme --continent atlantis')).code).toBe(0);
    expect((await terminal.json('visibility show acme')).continents).not.toContainEqual(
      expect.objectContaining({ continent: 'atlantis' }),
    );
  });

  it.each([
    ['show nobody', 1, 'tenant_not_found'],
    ['allow acme --tour nowhere', 1, 'tour_not_found'],
    ['explain acme Not,a,slug', 1, 'tour_not_found'],
    ['clear acme', 2, 'usage_error'],
    ['deny acme --continent South_America', 2, 'usage_error'],
    ['explain acme', 2, 'usage_error'],
  ])('tourctl visibility answers "%s" with exit %d', async (line, exit, reason) => {
    expect(await terminal.refusal(`visibility ${line}`)).toBe(`${exit} ${reason}`);
  });
});

describe('a rule in an empty catalog', () => {
  it('a rule in an empty catalog may name any continent, with a warning', async () => {
    await empty.tourctl('tenant create --slug early --name Early');
    for (const line of [
      'visibility allow early --continent europe',
      'pricing add early --percent 5 --continent europe',
    ]) {
      const { code, stderr } = await empty.tourctl(line);
      expect([code, stderr]).toEqual([0, 'warning: No tour is in the continent "europe"\n']);
    }
  });
});
