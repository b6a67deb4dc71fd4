import type { Noun } from '../engine/command';
import { LIMIT_FLAG } from '../engine/credential-flags';
import { afterFlag } from '../engine/list-page';
import { line, moment, slug, wholeNumber } from '../engine/values';

const changeId = wholeNumber(1, 9_999_999_999);

export const audit: Noun = {
  name: 'audit',
  about: 'Who changed what from a terminal',
  verbs: [
    {
      usage: 'list',
      about: 'List the changes, newest first',
      flags: [
        { flags: '--tenant <slug>', about: 'only of this tenant', parse: slug },
        {
          flags: '--since <time>',
          about: 'only from then on: a date, a time, or 24h for a day ago',
          parse: moment,
        },
        {
          flags: '--action <action>',
          about: 'only this noun and verb, such as key.revoke, or a noun with all its verbs',
          parse: line(100),
        },
        { flags: '--actor <user>', about: 'only by this system user', parse: line(100) },
        { flags: '--subject <id>', about: 'only of this slug, id or reference', parse: line(200) },
        LIMIT_FLAG,
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
      about: 'Show a change in full: how every field was before and after',
      args: { id: changeId },
      examples: ['audit show 1042'],
      run: () => (require('./audit/actions') as typeof import('./audit/actions')).showChangeCommand,
    },
  ],
};
