import { listContinents } from '../../../../services/api/catalog/tour.repository';
import { createTenant } from '../../../../services/api/tenants/create-tenant';
import { EVENT_TYPES } from '../../../../services/webhook-queue/deliveries/delivery';
import type { Format } from '../../../../services/webhook-queue/endpoints/endpoint';
import type { Context } from '../../../engine/context';
import { UsageError } from '../../../engine/failure';
import { askOne, askSome, askYesNo, type Choice } from '../../../terminal/prompts';
import { completeRights } from '../../key/actions';
import { answerFlag, NONE, rehearsePlan, type Walk } from './answer-flag';
import { onboardFlag } from './onboard-flags';
import { defaultCurrency, type OnboardOptions, slugOf } from './onboard-plan';
import { rehearse } from './provision-tenant';

/**
 * Walks a person through everything that no flag has said; Enter takes what is offered. Writes nothing.
 * @throws CancelledError at Ctrl-C
 */
export async function askOnboarding(context: Context, given: OnboardOptions): Promise<OnboardOptions> {
  const walk: Walk = { context, answers: { ...given } };
  context.output.note('Enter takes what is offered; nothing is written before you have seen all of it.');
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
    await part(walk);
  }
  const { key, widget, webhook } = walk.answers;
  if (key || widget || webhook) {
    const message = 'New file for the secrets, or none to show them here once:';
    await answerFlag(walk, 'out', { message, otherwise: NONE });
  }
  return walk.answers;
}

async function askTenant(walk: Walk): Promise<void> {
  const { answers, context } = walk;
  const slug = slugOf(answers.name);
  await answerFlag(walk, 'slug', {
    message: 'Slug, its name in commands and answers:',
    otherwise: slug,
    judged: true,
  });
  answers.status ??= (await askOne(context.io, 'Status:', [
    { value: 'trial', description: 'served at once; may have http://localhost as a site' },
    { value: 'active', description: 'served at once' },
  ])) as OnboardOptions['status'];
  await answerFlag(walk, 'country', {
    message: 'Country (ISO 3166), which its phone numbers are read by:',
    otherwise: 'DE',
  });
  const { code } = defaultCurrency(answers.country!);
  await answerFlag(walk, 'currency', { message: 'Currency (ISO 4217) of its price rules:', otherwise: code });
  const { tenant } = await rehearsePlan(context, answers);
  await answerFlag(walk, 'bookingPrefix', {
    message: 'Prefix of its booking references:',
    otherwise: tenant.bookingPrefix,
    judged: true,
  });
}

async function askTours(walk: Walk): Promise<void> {
  const { answers, context } = walk;
  if (answers.visibility || answers.tour || answers.continent) return;
  const which = await askOne(context.io, 'Tours that it shows:', [
    { value: 'all', name: 'all', description: 'those that are imported later too' },
    { value: 'continents', name: 'those of some continents' },
    { value: 'tours', name: 'single ones' },
    { value: 'none', name: 'none yet' },
  ]);
  if (which === 'continents') await askContinents(walk);
  else if (which === 'tours')
    await answerFlag(walk, 'tour', {
      message: 'Tours, by slug or id, with blanks between:',
      read: list,
      judged: true,
    });
  else answers.visibility = which as OnboardOptions['visibility'];
}

async function askContinents(walk: Walk): Promise<void> {
  const { answers, context } = walk;
  const continents = await rehearse(context.db, async (trx) => {
    const { name, slug } = answers;
    // A tenant that sees all tours sees all continents.
    return listContinents(trx, await createTenant(trx, { name, slug: slug!, defaultVisible: true }));
  });
  if (continents.length > 0) {
    answers.continent = await askSome(context.io, 'Continents:', continents);
    return;
  }
  // They may be imported later.
  await answerFlag(walk, 'continent', {
    message: 'Continents, by their slugs, with blanks between:',
    read: (text) => list(text).map((one) => parseContinent(one)),
  });
}

async function askPrices(walk: Walk): Promise<void> {
  const { answers, context } = walk;
  if (answers.percent === undefined && answers.amount === undefined) {
    const how = await askOne(context.io, 'Its prices:', [
      { value: 'platform', name: "the platform's" },
      { value: 'percent', name: "the platform's and a percentage" },
      { value: 'amount', name: "the platform's and an amount" },
    ]);
    const { code } = answers.currency!;
    if (how === 'percent')
      await answerFlag(walk, 'percent', { message: 'Percent to add (-5 for less):', judged: true });
    if (how === 'amount')
      await answerFlag(walk, 'amount', {
        message: `${code} to add for an adult (-20 for less):`,
        judged: true,
      });
  }
  if (answers.percent !== undefined || answers.amount !== undefined) {
    await answerFlag(walk, 'roundTo', { message: 'Round to a multiple of (such as 5):', otherwise: NONE });
  }
  await answerFlag(walk, 'depositPercent', {
    message: 'Deposit, in percent of a booking:',
    otherwise: '20',
  });
}

async function askHoldShare(walk: Walk): Promise<void> {
  await answerFlag(walk, 'maxHoldShare', {
    message: "Percent of a departure's seats that it may keep unpaid:",
    otherwise: '100',
  });
}

async function askOrigins(walk: Walk): Promise<void> {
  const { answers } = walk;
  if (answers.origin) return;
  const { dev } = answers;
  // Typing http://localhost here counts as --dev.
  answers.dev ??= answers.status === 'trial';
  await answerFlag(walk, 'origin', {
    message: 'Sites that may show its widget, with blanks between:',
    otherwise: NONE,
    read: list,
    judged: true,
  });
  answers.dev = dev ?? hasLocal(walk.answers.origin);
}

const parseContinent = (text: string) => onboardFlag('--continent').parse!(text, 'Each') as string;

function hasLocal(origins: string[] = []): true | undefined {
  return origins.some((origin) => /^http:/i.test(origin)) || undefined;
}

/** @throws UsageError where there is none */
function list(text: string): string[] {
  const items = text.split(/[\s,]+/).filter(Boolean);
  if (items.length === 0) throw new UsageError('It must be one at least');
  return items;
}

export async function askKey(walk: Walk): Promise<void> {
  const { answers, context } = walk;
  if (!answers.key) return;
  const said = answers.scope ?? answers.website ?? answers.keyExpiresIn;
  if (said === undefined && !(await askYesNo(context.io, 'Issue an API key for its server?', true))) {
    answers.key = false;
    return;
  }
  const rights = { scope: answers.scope, expiresIn: answers.keyExpiresIn };
  const { scopes, lifetimeSeconds } = await completeRights(context, rights);
  Object.assign(answers, { scope: [...scopes], keyExpiresIn: lifetimeSeconds });
  await answerFlag(walk, 'website', {
    message: 'Site that the key is issued for:',
    otherwise: hostOf(answers.origin?.[0]) ?? NONE,
  });
}

export async function askWidget(walk: Walk): Promise<void> {
  const { answers, context } = walk;
  if (!answers.widget) return;
  if (
    answers.widgetExpiresIn === undefined &&
    !(await askYesNo(context.io, 'Issue a widget token for its pages?', true))
  ) {
    answers.widget = false;
    return;
  }
  await answerFlag(walk, 'widgetExpiresIn', {
    message: 'Widget token serves for (such as 365d):',
    otherwise: NONE,
  });
}

export async function askWebhook(walk: Walk): Promise<void> {
  const { answers, context } = walk;
  await answerFlag(walk, 'webhook', {
    message: 'Address that is told of its bookings (https://…):',
    otherwise: NONE,
    judged: true,
  });
  if (answers.webhook === undefined) return;
  const events = () => askSome(context.io, 'What it is told of:', EVENT_TYPES, ['booking.created']);
  answers.event ??= await events();
  answers.format ??= (await askOne(context.io, 'Body of its requests:', FORMATS)) as Format;
}

const FORMATS: (Choice & { value: Format })[] = [
  { value: 'spec', description: "the event's fields alone" },
  { value: 'standard', description: "the same in Standard Webhooks' frame" },
  { value: 'thin', description: 'in that frame only what to fetch' },
];

/** Returns the host of an origin that may lack its scheme. */
function hostOf(origin: string | undefined): string | undefined {
  const address = origin && (origin.includes('://') ? origin : `https://${origin}`);
  return address && URL.canParse(address) ? new URL(address).hostname : undefined;
}
