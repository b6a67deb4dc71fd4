import { mayUse } from '../../cli/engine/people-rights';
import { NOUNS, VERBS } from '../../cli/tree';
import { verbName } from '../../cli/engine/command';
import { PERSON_ROLES, type PersonRole } from '../../services/platform/people/tasks';
import { useTestTerminal } from '../cli/terminal';
import { closeDatabase, givenPerson } from '../support/people';
import { commandOf, givenDay, LINES } from './day';
import { useTemporaryFolder } from '../support/temporary-folder';

const owner = useTestTerminal();
const folder = useTemporaryFolder();
beforeAll(() => closeDatabase(owner));

/** The commands that the table leaves out: they need a queue, a screen or the network, or are the owner's. */
const LEFT_OUT = new Set([
  'tenant onboard',
  'key inspect',
  'widget doctor',
  'webhook listen',
  'doctor',
  'logs',
  'monitor',
  'open monitor',
  'open docs',
  'config show',
  'config get',
  'config check',
  'completion bash',
  'completion zsh',
  'completion fish',
  'completion names',
  'up',
  'backup',
  'restore',
  'migrate',
  'seed',
]);

describe('what each role may do', () => {
  it('the table below has every command', () => {
    const commands = [
      ...NOUNS.flatMap((noun) => noun.verbs.map((verb) => `${noun.name} ${verbName(verb)}`)),
      ...VERBS.map(verbName),
    ].filter((command) => !LEFT_OUT.has(command));
    expect(LINES.map(commandOf).sort()).toEqual(commands.sort());
  });

  it.each(PERSON_ROLES.map((role) => [role]))(
    'the role %s may use the commands of its tasks, and no others',
    async (role: PersonRole) => {
      const words = await givenDay(owner, folder, role);
      const person = await givenPerson(owner, `a${role}`, role);
      const outcomes: Record<string, string> = {};
      const wanted: Record<string, string> = {};
      for (const line of LINES) {
        const text = line
          .split(' ')
          .map((word) => words[word] ?? word)
          .join(' ');
        const outcome = await person.outcome(text);
        const allowed = mayUse([role], commandOf(line));
        outcomes[line] = allowed ? outcome : outcome.split(':')[0]!;
        wanted[line] = allowed ? '0' : '1 not_allowed';
      }
      expect(outcomes).toEqual(wanted);
    },
    120_000,
  );
});
