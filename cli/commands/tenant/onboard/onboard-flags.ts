import { flag, type Flag, flagName, type Noun, verbName } from '../../../engine/command';
import { checkOrigins, DEV_FLAG, EXPIRES_FLAG, OUT_FLAG } from '../../../engine/credential-flags';
import { refuseMistakes } from '../../../engine/failure';
import { webUrl } from '../../../engine/values';
import { key } from '../../key';
import { pricing } from '../../pricing';
import { visibility } from '../../visibility';
import { webhook } from '../../webhook';
import { widget } from '../../widget';
import {
  BASICS,
  HOLD_SHARE_FLAG,
  LINK_TEMPLATE_FLAG,
  NAME_FLAG,
  SANDBOX_FLAG,
  SLUG_FLAG,
} from '../tenant-flags';
import type { OnboardOptions } from './onboard-plan';

/** Defaults that `tenant create` does not have. */
const DERIVED: Record<string, string> = {
  '--currency': "its country's",
  '--booking-prefix': 'made of the slug',
  '--visibility': 'all, or none with --continent or --tour',
};

/** Takes the flags and parsers of the commands for each part; `about` replaces texts that would be unclear here. */
export const ONBOARD_FLAGS: Flag[] = [
  NAME_FLAG,
  { ...SLUG_FLAG, must: false, otherwise: 'made of the name' },
  SANDBOX_FLAG,
  ...BASICS.map((flag) => ({ ...flag, otherwise: DERIVED[flagName(flag)] ?? flag.otherwise })),
  HOLD_SHARE_FLAG,
  {
    ...flagOf(visibility, 'allow', '--continent'),
    about: 'show the tours of this continent, and the tours of other --continent and --tour',
  },
  {
    ...flagOf(visibility, 'allow', '--tour'),
    about: 'show this tour, and the tours of other --continent and --tour',
  },
  flagOf(pricing, 'add', '--percent'),
  flagOf(pricing, 'add', '--amount'),
  { ...flagOf(pricing, 'add', '--round-to'), about: 'round these prices to the nearest multiple of this' },
  { ...flagOf(widget, 'issue', '--origin'), about: 'a site that may show its widget', otherwise: undefined },
  DEV_FLAG,
  LINK_TEMPLATE_FLAG,
  flag('--no-key', 'issue no API key'),
  {
    ...flagOf(key, 'issue', '--scope'),
    about: 'what the key may do',
    must: false,
    otherwise: 'catalog:read',
  },
  flagOf(key, 'issue', '--website'),
  expiry('--key-expires-in', 'the key'),
  flag('--no-widget', 'issue no widget token'),
  expiry('--widget-expires-in', 'the widget token'),
  flag('--webhook <url>', 'an endpoint that receives its booking events', { parse: webUrl }),
  flagOf(webhook, 'add', '--event'),
  flagOf(webhook, 'add', '--format'),
  { ...OUT_FLAG, about: 'write the secrets to a new file (0600), not to stdout' },
];

/** @throws Error for an unknown name, which is a mistake in this file and stops every start */
export function onboardFlag(name: string): Flag {
  const flag = ONBOARD_FLAGS.find((one) => flagName(one) === name);
  if (!flag) throw new Error(`tourctl tenant onboard has no ${name}`);
  return flag;
}

/** Flags that exclude each other, by their text in the error. */
const CLASHES: Record<string, (options: OnboardOptions) => boolean> = {
  '--visibility all and --tour or --continent': (given) =>
    given.visibility === 'all' && Boolean(given.tour ?? given.continent),
  '--percent and --amount': ({ percent, amount }) => percent !== undefined && amount !== undefined,
  '--no-key and --scope, --website or --key-expires-in': (given) =>
    !given.key && (given.scope ?? given.website ?? given.keyExpiresIn) !== undefined,
  '--no-widget and --widget-expires-in': (given) => !given.widget && given.widgetExpiresIn !== undefined,
};

/** Flags that need another flag. */
const ORPHANS: [flag: string, needed: string, alone: (options: OnboardOptions) => boolean][] = [
  [
    '--round-to',
    '--percent or --amount',
    (given) => Boolean(given.roundTo && !given.percent && !given.amount),
  ],
  ['--event or --format', '--webhook', (given) => Boolean((given.event ?? given.format) && !given.webhook)],
  [
    '--out',
    'a key, a widget token or a webhook',
    (given) => Boolean(given.out && !given.key && !given.widget && !given.webhook),
  ],
];

/** @throws UsageError */
export function checkOnboarding(options: OnboardOptions): void {
  const clashes = Object.entries(CLASHES).filter(([, clash]) => clash(options));
  const orphans = ORPHANS.filter(([, , alone]) => alone(options));
  refuseMistakes([
    ...clashes.map(([flags]) => `${flags} cannot be given together`),
    ...orphans.map(([flag, needed]) => `${flag} must not be given without ${needed}`),
  ]);
  checkOrigins(options.origin ?? [], options.dev, '--origin');
}

/** Returns a flag of another command, so that it means the same here. */
function flagOf({ name, verbs }: Noun, verb: string, flag: string): Flag {
  const { flags = [] } = verbs.find((one) => verbName(one) === verb) ?? {};
  const found = flags.find((one) => flagName(one) === flag);
  if (!found) throw new Error(`tourctl ${name} ${verb} has no ${flag}`);
  return found;
}

function expiry(flag: string, what: string): Flag {
  return {
    ...EXPIRES_FLAG,
    flags: `${flag} <duration>`,
    about: `when ${what} expires, such as 90d, or none for never`,
  };
}
