import { flag, type Noun } from '../engine/command';
import {
  checkOrigins,
  DEV_FLAG,
  EXPIRES_FLAG,
  LIST_FORM,
  OUT_FLAG,
  REVOKE_FORM,
  ROTATE_FORM,
} from '../engine/credential-flags';
import { line } from '../engine/values';

const actions = () => require('./widget/actions') as typeof import('./widget/actions');

export const widget: Noun = {
  name: 'widget',
  about: 'Issue, list, rotate and revoke widget tokens, for pages that show the tours',
  verbs: [
    {
      usage: 'issue <slug>',
      about: 'Issue a token, with the lines to paste into a page',
      flags: [
        flag('--origin <origin>', 'a site that may show the widget', {
          repeats: true,
          otherwise: "the tenant's sites, also when they change",
        }),
        DEV_FLAG,
        EXPIRES_FLAG,
        OUT_FLAG,
      ],
      check: ({ origin = [], dev }: { origin?: string[]; dev?: boolean }) =>
        checkOrigins(origin, dev, '--origin'),
      examples: ['widget issue acme', 'widget issue acme --origin https://acme.example --expires-in 365d'],
      run: () => actions().issueWidgetCommand,
    },
    {
      ...LIST_FORM,
      about: 'List the tokens of a tenant, newest first',
      examples: ['widget list acme', 'widget list acme --status live'],
      run: () => actions().listWidgetsCommand,
    },
    {
      ...ROTATE_FORM,
      about: 'Issue a successor with the same origins',
      examples: ['widget rotate 4nL0pQ8sTzX2 --grace 48h'],
      run: () => actions().rotateWidgetCommand,
    },
    {
      ...REVOKE_FORM,
      about: 'Refuse a token from now on',
      examples: ['widget revoke 4nL0pQ8sTzX2 --yes'],
      run: () => actions().revokeWidgetCommand,
    },
    {
      usage: 'doctor',
      about: 'Explain whether a page may show the widget, and why; exit 1 if it may not',
      flags: [
        // A widget token is not secret: the page contains it.
        flag('--token <token>', 'the widget token of the page', {
          otherwise: 'read from standard input',
          parse: line(200),
        }),
        flag('--origin <address>', 'the page, as its address is copied from the browser', {
          must: true,
          parse: line(2000),
        }),
      ],
      examples: ['widget doctor --token svc_widget_4nL0pQ8sTzX2_… --origin https://www.acme.example/tours'],
      run: () => actions().explainEmbeddingCommand,
    },
  ],
};
