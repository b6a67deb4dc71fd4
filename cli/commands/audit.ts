import { flag, type Noun } from '../engine/command';
import { afterFlag, LIST_FLAGS, sinceFlag, TENANT_FLAG } from '../engine/flags';
import { line, wholeNumber } from '../engine/values';

const changeId = wholeNumber(1, 9_999_999_999);

export const audit: Noun = {
  name: 'audit',
  about: 'Show who changed what from a terminal',
  verbs: [
    {
      usage: 'list',
      about: 'List the changes, newest first',
      flags: [
        TENANT_FLAG,
        sinceFlag('made'),
        flag(
          '--action <action>',
          'only this noun and verb, such as key.revoke, or a noun with all its verbs',
          {
            parse: line(100),
          },
        ),
        flag('--actor <name>', 'only by this person: a system user, or the name that --actor gave', {
          parse: line(100),
        }),
        flag('--subject <id>', 'only of this slug, id or reference', { parse: line(200) }),
        ...LIST_FLAGS,
        afterFlag('id', changeId),
      ],
      examples: [
        'audit list --tenant acme --since 7d',
        'audit list --action key --actor olga',
        'audit list --subject ACME-1042 --json',
      ],
      run: () => (require('./audit/actions') as typeof import('./audit/actions')).listChangesCommand,
    },
    {
      usage: 'show <id>',
      about: 'Show a change in full: each field before and after',
      args: { id: changeId },
      examples: ['audit show 1042'],
      run: () => (require('./audit/actions') as typeof import('./audit/actions')).showChangeCommand,
    },
  ],
};
