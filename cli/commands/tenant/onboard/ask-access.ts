import { EVENT_TYPES, type Format } from '../../../../services/webhook-queue/operations';
import { askOne, askSome, askYesNo, type Choice } from '../../../prompts';
import { completeRights } from '../../key/ask-rights';
import { answerFlag, NONE, type Walk } from './answer-flag';

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

/** Of an origin that may still lack its scheme. */
function hostOf(origin: string | undefined): string | undefined {
  const address = origin && (origin.includes('://') ? origin : `https://${origin}`);
  return address && URL.canParse(address) ? new URL(address).hostname : undefined;
}
