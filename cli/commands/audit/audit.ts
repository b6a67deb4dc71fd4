import type { Noun } from '../../command';
import { LIMIT_FLAG } from '../../credential-flags';
import { line, moment, slug } from '../../values';

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
          about: 'only this noun and verb, such as key.revoke',
          parse: line(100),
        },
        LIMIT_FLAG,
      ],
      examples: ['audit list --tenant acme --since 7d', 'audit list --action key.revoke --json'],
      run: () => (require('./list') as typeof import('./list')).listChangesCommand,
    },
  ],
};
