import type { Flag, Noun } from '../engine/command';
import { UsageError } from '../engine/failure';
import { continentFlag, tourFlag } from '../engine/flags';
import type { TargetOptions } from './visibility/actions';

const TARGETS: Flag[] = [
  { ...tourFlag('a tour, by slug or id'), repeats: true },
  { ...continentFlag('all tours of a continent'), repeats: true },
];

const actions = () => require('./visibility/actions') as typeof import('./visibility/actions');

export const visibility: Noun = {
  name: 'visibility',
  about:
    'Show and change which tours a tenant sees: a tour rule overrides a continent rule, and both override its default',
  verbs: [
    {
      usage: 'show <slug>',
      about: "Show a tenant's default and its rules",
      run: () => actions().showVisibilityCommand,
    },
    {
      usage: 'allow <slug>',
      about: 'Show tours by a rule, or without a flag by default',
      flags: TARGETS,
      examples: [
        'visibility allow acme --tour dolomites-hut-to-hut',
        'visibility allow acme --continent europe --continent asia',
        'visibility allow acme',
      ],
      run: () => actions().allowCommand,
    },
    {
      usage: 'deny <slug>',
      about: 'Hide tours by a rule, or without a flag by default',
      flags: TARGETS,
      examples: ['visibility deny acme --continent africa'],
      run: () => actions().denyCommand,
    },
    {
      usage: 'clear <slug>',
      about: 'Remove rules, so that the next weaker one decides',
      flags: TARGETS,
      check: ({ tour, continent }: TargetOptions) => {
        if (tour || continent) return;
        throw new UsageError('--tour or --continent must be given: allow and deny change the default');
      },
      examples: ['visibility clear acme --tour dolomites-hut-to-hut'],
      run: () => actions().clearCommand,
    },
    {
      usage: 'explain <slug> <tour>',
      about: 'Explain whether a tenant sees a tour, and which rule decides',
      examples: ['visibility explain acme dolomites-hut-to-hut'],
      run: () => actions().explainVisibilityCommand,
    },
  ],
};
