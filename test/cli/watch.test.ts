import { describeOnTerminal, KEY } from '../support/pseudo-terminal';
import { useTestTerminal } from './terminal';

const terminal = useTestTerminal();

describe('--watch', () => {
  it.each(['status --watch', 'delivery list --watch', 'status --watch --json'])(
    '--watch without a terminal or with --json is a usage error: %s',
    async (line) => {
      const { code, stdout, stderr } = await terminal.tourctl(line);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/--watch (needs a terminal|draws on a screen)/);
    },
  );
});

describeOnTerminal('--watch on a terminal', () => {
  it('--watch draws the answer again, and ends with 0 at Ctrl-C', async () => {
    const person = terminal.sit('status --watch');
    await person.see('again every 2 s until Ctrl-C');
    await person.see('Schema');
    await person.answer('again every 2 s until Ctrl-C', KEY.ctrlC);
    expect(await person.ended).toBe(0);
  });

  it('--watch shows a delivery that was created meanwhile, and hides and restores the cursor', async () => {
    const { id } = await terminal
      .tourctl('tenant create --slug acme --name Acme')
      .then(() => terminal.json('webhook add acme https://acme.example/hooks'));
    const person = terminal.sit('delivery list --watch');
    await person.see('No deliveries');
    const { delivery } = await terminal.json(`webhook ping ${id}`);
    await person.answer(delivery, KEY.ctrlC);
    expect(await person.ended).toBe(0);
    expect(person.raw).toMatch(/\x1b\[\?1049h\x1b\[\?25l[^]*\x1b\[\?25h\x1b\[\?1049l$/);
  });

  it('--watch restores the screen after an error', async () => {
    const person = terminal.sit('delivery list --watch --tenant nobody');
    expect(await person.ended).toBe(1);
    expect(person.shown).toContain('There is no tenant "nobody"');
  });
});
