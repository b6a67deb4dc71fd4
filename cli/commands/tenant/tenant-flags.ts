import { PAYMENT_METHODS, USABLE_STATUSES } from '../../../services/api/tenants/tenant';
import type { Flag } from '../../engine/command';
import {
  bookingPrefix,
  color,
  country,
  currency,
  decimal,
  duration,
  fontFamilies,
  httpsUrl,
  line,
  linkTemplate,
  minutes,
  orNone,
  slug,
  wholeNumber,
} from '../../engine/values';

export const SLUG_FLAG: Flag = {
  flags: '--slug <slug>',
  about: 'its name in commands and answers',
  parse: slug,
  must: true,
};
export const NAME_FLAG: Flag = {
  flags: '--name <name>',
  about: 'its name for people',
  parse: line(200),
  must: true,
};

export const HOLD_SHARE_FLAG: Flag = {
  flags: '--max-hold-share <percent>',
  about: "of a departure's seats that its holds and unpaid bookings may keep",
  parse: wholeNumber(1, 100),
  otherwise: '100',
};

/** Flags that `tenant create`, `set` and `onboard` share. */
export const BASICS: Flag[] = [
  {
    flags: '--status <status>',
    about: 'may it be used at once',
    choices: USABLE_STATUSES,
    otherwise: 'trial',
  },
  {
    flags: '--currency <code>',
    about: 'ISO 4217 currency of its price rules',
    parse: currency,
    otherwise: 'EUR',
  },
  {
    flags: '--country <code>',
    about: 'ISO 3166 country that phone numbers are read by',
    parse: country,
    otherwise: 'DE',
  },
  {
    flags: '--booking-prefix <prefix>',
    about: 'what its booking references begin with',
    parse: bookingPrefix,
  },
  {
    flags: '--visibility <which>',
    about: 'tours it sees without a rule',
    choices: ['all', 'none'],
    otherwise: 'all',
  },
  {
    flags: '--deposit-percent <percent>',
    about: 'share of a booking to pay down',
    parse: decimal(0, 100, 2),
    otherwise: '20',
  },
];

export const SETTINGS: Flag[] = [
  {
    flags: '--payment-method <method>',
    about: 'of a booking that names none',
    choices: PAYMENT_METHODS,
    otherwise: 'bank',
  },
  {
    flags: '--payment-window <duration>',
    about: 'how long an unpaid booking keeps its seats, such as 72h, or none',
    parse: orNone(duration()),
    otherwise: '72h',
  },
  {
    flags: '--hold-default <minutes>',
    about: 'length of a hold that names none',
    parse: minutes(1, 60),
    otherwise: '15',
  },
  { flags: '--hold-max <minutes>', about: 'longest hold', parse: minutes(1, 60), otherwise: '60' },
  {
    flags: '--max-holds <number>',
    about: 'live holds at most',
    parse: wholeNumber(1, 1_000_000),
    otherwise: '1000',
  },
  {
    flags: '--max-unpaid <number>',
    about: 'unpaid bookings at most',
    parse: wholeNumber(1, 1_000_000),
    otherwise: '1000',
  },
  HOLD_SHARE_FLAG,
  {
    flags: '--link-template <address>',
    about: 'where its site shows a tour, with {slug} in it, or none',
    parse: orNone(linkTemplate),
  },
  {
    flags: '--brand-color <color>',
    about: 'of the embedded page, such as #0a7d5c, or none',
    parse: orNone(color),
  },
  {
    flags: '--brand-logo <address>',
    about: 'https:// address of a picture, or none',
    parse: orNone(httpsUrl),
  },
  {
    flags: '--brand-radius <pixels>',
    about: "of the cards' corners, 0 to 32, or none for ours",
    parse: orNone(wholeNumber(0, 32)),
  },
  {
    flags: '--brand-font <families>',
    about: 'fonts by name, the first that a visitor has, such as "Inter, Georgia, serif", or none',
    parse: orNone(fontFamilies),
  },
];
