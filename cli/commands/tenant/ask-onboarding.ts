import { listContinents } from '../../../services/api/catalog/catalog-filters.repository';
import { createTenant } from '../../../services/api/tenants/manage-tenants';
import { AppError } from '../../../services/platform/errors';
import { EVENT_TYPES } from '../../../services/webhook-queue/deliveries/delivery';
import type { Format } from '../../../services/webhook-queue/endpoints/endpoint';
import type { Context } from '../../engine/context';
import { UsageError } from '../../engine/failure';
import { askOne, askSome, askText, askYesNo, type Choice, type Objection } from '../../terminal/prompts';
import { completeRights } from '../key/key';
import { defaultCurrency, onboardFlag, type OnboardOptions, slugOf } from './onboard-plan';
import { rehearse, rehearsePlan } from './provision';

/**
 * Asks a person for the name and for each value that no flag gives. Enter accepts the suggested value. Writes nothing.
 * @throws CancelledError at Ctrl-C; StepBack at Esc
 */
export async function askOnboarding(context: Context, given: OnboardOptions): Promise<OnboardOptions> {
  const { name: _, ...flags } = given;
  const dialogue = { context, answers: flags } as Dialogue;
  // Does not check the name against the database: the slug that is made of the name is only a suggestion.
  await answerFlag(dialogue, 'name', { message: 'Its name for people:', rehearsed: false });
  for (const part of [
    askTenant,
    askTours,
    askPrices,
    askHoldShare,
    askOrigins,
    askKey,
    askWidget,
    askWebhook,
  ]) {
    await part(dialogue);
  }
  const { key, widget, webhook } = dialogue.answers;
  if (key || widget || webhook) {
    const message = 'New file for the secrets, or none to show them here once:';
    await answerFlag(dialogue, 'out', { message, otherwise: NONE });
  }
  return dialogue.answers;
}

async function askTenant(dialogue: Dialogue): Promise<void> {
  const { answers, context } = dialogue;
  const slug = slugOf(answers.name);
  await answerFlag(dialogue, 'slug', {
    message: 'Slug, its name in commands and answers:',
    otherwise: slug,
  });
  answers.sandbox ??=
    (await askOne(context.io, 'Kind:', [
      { value: 'real', description: 'its bookings take seats' },
      { value: 'sandbox', description: 'its bookings are tests and take no real seat' },
    ])) === 'sandbox';
  // Does not ask for the status if --dev is given, because --dev is only for tenants on trial.
  if (answers.dev) answers.status ??= 'trial';
  answers.status ??= (await askOne(context.io, 'Status:', [
    { value: 'trial', description: 'served at once; may have http://localhost as a site' },
    { value: 'active', description: 'served at once' },
  ])) as OnboardOptions['status'];
  await answerFlag(dialogue, 'country', {
    message: 'Country (ISO 3166) of its phone numbers:',
    otherwise: 'DE',
  });
  const { code } = defaultCurrency(answers.country!);
  await answerFlag(dialogue, 'currency', {
    message: 'Currency (ISO 4217) of its price rules:',
    otherwise: code,
  });
  const { tenant } = await rehearsePlan(context, answers);
  await answerFlag(dialogue, 'bookingPrefix', {
    message: 'Prefix of its booking references:',
    otherwise: tenant.bookingPrefix,
  });
}

async function askTours(dialogue: Dialogue): Promise<void> {
  const { answers, context } = dialogue;
  if (answers.visibility || answers.tour || answers.continent) return;
  const which = await askOne(context.io, 'Tours that it shows:', [
    { value: 'all', name: 'all', description: 'those that are imported later too' },
    { value: 'continents', name: 'those of some continents' },
    { value: 'tours', name: 'single ones' },
    { value: 'none', name: 'none yet' },
  ]);
  if (which === 'continents') await askContinents(dialogue);
  else if (which === 'tours')
    await answerFlag(dialogue, 'tour', {
      message: 'Tours, by slug or id, separated by blanks:',
      read: list,
    });
  else answers.visibility = which as OnboardOptions['visibility'];
}

async function askContinents(dialogue: Dialogue): Promise<void> {
  const { answers, context } = dialogue;
  const continents = await rehearse(context.db, async (trx) => {
    const { name, slug } = answers;
    // Creates a tenant that sees all tours, because listContinents omits the continents that the tenant does not see.
    return listContinents(trx, await createTenant(trx, { name, slug: slug!, defaultVisible: true }));
  });
  if (continents.length > 0) {
    answers.continent = await askSome(context.io, 'Continents:', continents);
    return;
  }
  // Accepts any continent while the catalog is empty, because its tours may be imported later.
  await answerFlag(dialogue, 'continent', {
    message: 'Continents, by their slugs, separated by blanks:',
    read: (text) => list(text).map((one) => parseContinent(one)),
  });
}

async function askPrices(dialogue: Dialogue): Promise<void> {
  const { answers, context } = dialogue;
  if (answers.percent === undefined && answers.amount === undefined) {
    const how = await askOne(context.io, 'Its prices:', [
      { value: 'platform', name: "the platform's" },
      { value: 'percent', name: "the platform's and a percentage" },
      { value: 'amount', name: "the platform's and an amount" },
    ]);
    const { code } = answers.currency!;
    if (how === 'percent')
      await answerFlag(dialogue, 'percent', { message: 'Percent to add (-5 for less):' });
    if (how === 'amount')
      await answerFlag(dialogue, 'amount', { message: `${code} to add for an adult (-20 for less):` });
  }
  if (answers.percent !== undefined || answers.amount !== undefined) {
    await answerFlag(dialogue, 'roundTo', {
      message: 'Round to a multiple of (such as 5):',
      otherwise: NONE,
    });
  }
  await answerFlag(dialogue, 'depositPercent', {
    message: 'Deposit, in percent of a booking:',
    otherwise: '20',
  });
}

async function askHoldShare(dialogue: Dialogue): Promise<void> {
  await answerFlag(dialogue, 'maxHoldShare', {
    message: "Percent of a departure's seats that it may keep unpaid:",
    otherwise: '100',
  });
}

async function askOrigins(dialogue: Dialogue): Promise<void> {
  const { answers } = dialogue;
  if (answers.origin) return;
  const { dev } = answers;
  // On trial, an answer with http://localhost counts as --dev.
  answers.dev ??= answers.status === 'trial';
  await answerFlag(dialogue, 'origin', {
    message: 'Sites that may show its widget, separated by blanks:',
    otherwise: NONE,
    read: list,
  });
  answers.dev = dev ?? hasLocal(dialogue.answers.origin);
}

const parseContinent = (text: string) => onboardFlag('--continent').parse!(text, 'Each') as string;

function hasLocal(origins: string[] = []): true | undefined {
  return origins.some((origin) => /^http:/i.test(origin)) || undefined;
}

/** Splits at blanks and commas. @throws UsageError if nothing is left */
function list(text: string): string[] {
  const items = text.split(/[\s,]+/).filter(Boolean);
  if (items.length === 0) throw new UsageError('Name at least one');
  return items;
}

async function askKey(dialogue: Dialogue): Promise<void> {
  const { answers, context } = dialogue;
  if (!answers.key) return;
  const given = answers.scope ?? answers.website ?? answers.keyExpiresIn;
  if (given === undefined && !(await askYesNo(context.io, 'Issue an API key for its server?', true))) {
    answers.key = false;
    return;
  }
  const rights = { scope: answers.scope, expiresIn: answers.keyExpiresIn };
  const { scopes, lifetimeSeconds } = await completeRights(context, rights);
  answers.scope = [...scopes];
  answers.keyExpiresIn = lifetimeSeconds;
  await answerFlag(dialogue, 'website', {
    message: 'Site that the key is issued for:',
    otherwise: hostOf(answers.origin?.[0]) ?? NONE,
  });
}

async function askWidget(dialogue: Dialogue): Promise<void> {
  const { answers, context } = dialogue;
  if (!answers.widget) return;
  if (
    answers.widgetExpiresIn === undefined &&
    !(await askYesNo(context.io, 'Issue a widget token for its pages?', true))
  ) {
    answers.widget = false;
    return;
  }
  await answerFlag(dialogue, 'widgetExpiresIn', {
    message: 'Widget token is valid for (such as 365d):',
    otherwise: NONE,
  });
  await answerFlag(dialogue, 'linkTemplate', {
    message: 'Address of a tour on its site, with {slug} in it, that the cards of the widget lead to:',
    otherwise: NONE,
  });
}

async function askWebhook(dialogue: Dialogue): Promise<void> {
  const { answers, context } = dialogue;
  await answerFlag(dialogue, 'webhook', {
    message: 'Endpoint that receives its booking events (https://…):',
    otherwise: NONE,
  });
  if (answers.webhook === undefined) return;
  const events = () => askSome(context.io, 'Events that it receives:', EVENT_TYPES, ['booking.created']);
  answers.event ??= await events();
  answers.format ??= (await askOne(context.io, 'Body of its requests:', FORMATS)) as Format;
}

const FORMATS: (Choice & { value: Format })[] = [
  { value: 'spec', description: "only the event's fields" },
  { value: 'standard', description: 'the same fields as a Standard Webhooks message' },
  { value: 'thin', description: 'a Standard Webhooks message with only the address to fetch' },
];

/** Returns the host of an origin that may lack its scheme. */
function hostOf(origin: string | undefined): string | undefined {
  const address = origin && (origin.includes('://') ? origin : `https://${origin}`);
  return address && URL.canParse(address) ? new URL(address).hostname : undefined;
}

/** Holds the answers known so far from flags and questions. */
interface Dialogue {
  context: Context;
  answers: OnboardOptions;
}

/** The answer that skips an optional question. */
const NONE = 'none';

interface Question<V> {
  message: string;
  /** Default answer for Enter; `none` makes the question optional. */
  otherwise?: string;
  /** Replaces the flag's own parser. */
  read?: (text: string) => V;
  /** False: the answer is not checked against the database until later answers are known. */
  rehearsed?: boolean;
}

/** Asks for the value of a flag that is not given. */
async function answerFlag<K extends keyof OnboardOptions>(
  { context, answers }: Dialogue,
  key: K,
  { message, otherwise, read = parserOf(key), rehearsed = true }: Question<OnboardOptions[K]>,
): Promise<void> {
  if (answers[key] !== undefined) return;
  const declines = (text: string) => otherwise === NONE && text.trim() === NONE;
  const objection = objecting(async (text) => {
    const given = declines(text) ? answers : { ...answers, [key]: read(text) };
    if (rehearsed) await rehearsePlan(context, given);
  });
  const text = await askText(context.io, message, objection, otherwise);
  if (!declines(text)) answers[key] = read(text);
}

/** Returns a check that turns errors of parsers and use cases into objections to the answer. */
function objecting(check: (text: string) => Promise<void>): Objection {
  return async (text) => {
    try {
      await check(text);
      return undefined;
    } catch (error) {
      if (error instanceof UsageError || error instanceof AppError) return error.message;
      throw error;
    }
  };
}

/**
 * Returns the parser of the flag that sets the same option; for `bookingPrefix` this flag is --booking-prefix. Error messages call the
 * value "It".
 */
function parserOf<K extends keyof OnboardOptions>(key: K): (text: string) => OnboardOptions[K] {
  const flag = onboardFlag(`--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
  return (text) => (flag.parse ? flag.parse(text.trim(), 'It') : text.trim()) as OnboardOptions[K];
}
