import { continentFlag, tourFlag } from '../engine/catalog-flags';
import type { Flag, Noun, Verb } from '../engine/command';
import { UsageError } from '../engine/failure';
import type { TargetOptions } from './visibility/actions';

const TARGETS: Flag[] = [
  { ...tourFlag('a tour, by slug or id'), repeats: true },
  { ...continentFlag('all tours of a continent'), repeats: true },
];

const change = (usage: string, about: string, examples: string[]): Verb => ({
  usage,
  about,
  flags: TARGETS,
  examples,
  run: () => {
    const verbs = require('./visibility/actions') as typeof import('./visibility/actions');
    return usage.startsWith('allow') ? verbs.allowCommand : verbs.denyCommand;
  },
});

export const visibility: Noun = {
  name: 'visibility',
  about: 'Which tours a tenant sees: a tour rule beats a continent rule beats its default',
  verbs: [
    {
      usage: 'show <slug>',
      about: "Show a tenant's default and its rules",
      run: () =>
        (require('./visibility/actions') as typeof import('./visibility/actions')).showVisibilityCommand,
    },
    change('allow <slug>', 'Show tours: those of a rule, or with no flag by default', [
      'visibility allow acme --tour dolomites-hut-to-hut',
      'visibility allow acme --continent europe --continent asia',
      'visibility allow acme',
    ]),
    change('deny <slug>', 'Hide tours: those of a rule, or with no flag by default', [
      'visibility deny acme --continent africa',
    ]),
    {
      usage: 'clear <slug>',
      about: 'Take rules back, so that the next weaker one decides',
      flags: TARGETS,
      check: ({ tour, continent }: TargetOptions) => {
        if (tour || continent) return;
        throw new UsageError('--tour or --continent must be given: the default is changed by allow and deny');
      },
      examples: ['visibility clear acme --tour dolomites-hut-to-hut'],
      run: () => (require('./visibility/actions') as typeof import('./visibility/actions')).clearCommand,
    },
    {
      usage: 'explain <slug> <tour>',
      about: 'Say whether a tenant sees a tour, and which rule decides',
      examples: ['visibility explain acme dolomites-hut-to-hut'],
      run: () =>
        (require('./visibility/actions') as typeof import('./visibility/actions')).explainVisibilityCommand,
    },
  ],
};
