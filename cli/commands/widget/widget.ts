import type { Noun } from '../../command';
import {
  endsAtOnce,
  EXPIRES_FLAG,
  GRACE_FLAG,
  ID_ARGUMENT,
  LIMIT_FLAG,
  OUT_FLAG,
  ROTATED_EXPIRES_FLAG,
} from '../../credential-flags';
import { checkOrigins, DEV_FLAG } from '../../origin-arguments';

export const widget: Noun = {
  name: 'widget',
  about: 'Widget tokens, for pages that show the tours',
  verbs: [
    {
      usage: 'issue <slug>',
      about: 'Issue a token, with the lines to paste into a page',
      flags: [
        {
          flags: '--origin <origin>',
          about: 'a site that may show it',
          repeats: true,
          otherwise: "the tenant's, as they change",
        },
        DEV_FLAG,
        EXPIRES_FLAG,
        OUT_FLAG,
      ],
      check: ({ origin = [], dev }: { origin?: string[]; dev?: boolean }) =>
        checkOrigins(origin, dev, '--origin'),
      examples: ['widget issue acme', 'widget issue acme --origin https://acme.example --expires-in 365d'],
      run: () => (require('./issue') as typeof import('./issue')).issueWidgetCommand,
    },
    {
      usage: 'list <slug>',
      about: 'List its tokens, newest first',
      flags: [LIMIT_FLAG],
      run: () => (require('./list') as typeof import('./list')).listWidgetsCommand,
    },
    {
      usage: 'rotate <id>',
      asks: endsAtOnce,
      about: 'Issue a successor with the same origins',
      flags: [GRACE_FLAG, ROTATED_EXPIRES_FLAG, OUT_FLAG],
      args: ID_ARGUMENT,
      run: () => (require('./rotate') as typeof import('./rotate')).rotateWidgetCommand,
    },
    {
      usage: 'revoke <id>',
      asks: () => true,
      about: 'Refuse it from now on',
      args: ID_ARGUMENT,
      run: () => (require('./revoke') as typeof import('./revoke')).revokeWidgetCommand,
    },
  ],
};
