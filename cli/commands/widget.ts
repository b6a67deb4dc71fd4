import type { Noun } from '../engine/command';
import {
  checkOrigins,
  CREDENTIAL_STATUS_FLAG,
  DEV_FLAG,
  endsAtOnce,
  EXPIRES_FLAG,
  GRACE_FLAG,
  ID_ARGUMENT,
  LIMIT_FLAG,
  OUT_FLAG,
  ROTATED_EXPIRES_FLAG,
} from '../engine/credential-flags';
import { afterFlag } from '../engine/list-page';
import { credentialId, line } from '../engine/values';

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
      run: () => (require('./widget/actions') as typeof import('./widget/actions')).issueWidgetCommand,
    },
    {
      usage: 'list <slug>',
      about: 'List its tokens, newest first',
      flags: [CREDENTIAL_STATUS_FLAG, LIMIT_FLAG, afterFlag('id', credentialId)],
      examples: ['widget list acme', 'widget list acme --status live'],
      run: () => (require('./widget/actions') as typeof import('./widget/actions')).listWidgetsCommand,
    },
    {
      usage: 'rotate <id>',
      asks: endsAtOnce,
      about: 'Issue a successor with the same origins',
      flags: [GRACE_FLAG, ROTATED_EXPIRES_FLAG, OUT_FLAG],
      args: ID_ARGUMENT,
      examples: ['widget rotate 4nL0pQ8sTzX2 --grace 48h'],
      run: () => (require('./widget/actions') as typeof import('./widget/actions')).rotateWidgetCommand,
    },
    {
      usage: 'revoke <id>',
      asks: () => true,
      about: 'Refuse it from now on',
      args: ID_ARGUMENT,
      examples: ['widget revoke 4nL0pQ8sTzX2 --yes'],
      run: () => (require('./widget/actions') as typeof import('./widget/actions')).revokeWidgetCommand,
    },
    {
      usage: 'doctor',
      about: 'Explain why a page may show the widget, or may not; exit 1 where it may not',
      flags: [
        // A widget token is not secret: the page contains it.
        {
          flags: '--token <token>',
          about: 'the widget token of the page',
          otherwise: 'read from standard input',
          parse: line(200),
        },
        {
          flags: '--origin <address>',
          about: 'the page, as its address is copied from the browser',
          must: true,
          parse: line(2000),
        },
      ],
      examples: ['widget doctor --token svc_widget_4nL0pQ8sTzX2_… --origin https://www.acme.example/tours'],
      run: () => (require('./widget/actions') as typeof import('./widget/actions')).explainEmbeddingCommand,
    },
  ],
};
