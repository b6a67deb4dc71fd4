import {
  type Credential,
  type CredentialWarning,
  EXPIRING_DAYS,
  UNUSED_DAYS,
} from '../../services/api/credentials/credential';
import { departureArgument } from '../../services/api/catalog/start-time';
import { selectCredentialsAtRisk } from '../../services/api/credentials/credential.repository';
import {
  broken,
  checkIfAllowed,
  type HealthCheck,
  inspectInstallation,
  notice,
  noticeOf,
  ok,
} from '../../services/api/health/inspect-installation';
import { findLastBackup } from '../../services/api/health/status.repository';
import { CURRENCIES_AS_OF } from '../../services/api/pricing/currency';
import { findOldRates, findUnsellableTours } from '../../services/api/pricing/exchange-rate.repository';
import { findLowPriceRules } from '../../services/api/pricing/find-low-prices';
import { findUnsoldPrices } from '../../services/api/pricing/find-unsold-prices';
import { SALE_TRIAL } from '../../services/api/seats/try-sale';
import type { Config } from '../../services/platform/config/config';
import type { Db } from '../../services/platform/database/database';
import { hiddenFrom, opensSecrets } from '../../services/platform/people/tasks';
import {
  findRightsOfPublic,
  countEndingPeople,
  type PersonOfSession,
} from '../../services/platform/people/people.repository';
import { readDiskSpace } from '../../services/platform/directories';
import { START_WEBHOOK_QUEUE } from '../../services/platform/start-advice';
import { ConfigError } from '../../services/platform/read-variable';
import { SecretsError, inspectSecrets } from '../../services/platform/secrets';
import { findUnopenedEndpoints, opensSealed } from '../../services/webhook-queue/endpoints/endpoint-secrets';
import { inspectQueue, type QueueHealth } from '../../services/webhook-queue/inspect-queue';
import type { VerbBody } from '../engine/command';
import type { Context, OpeningTerminal } from '../engine/context';
import { describeError, EXIT, NoInstallationError } from '../engine/failure';
import { CancelledError } from '../terminal/io';
import { paint, type Screen, type Tone } from '../terminal/screen';
import { beside } from '../terminal/table';
import { countIs, countOf, padText, roughDuration, textWidth } from '../terminal/text';
import { adviseOn, type CredentialNoun } from './key/credentials';
import { describeLowPrices } from './pricing/price-rule';
import { adviseOnFailing, describeFailing, toFailingDocument } from './status';

export const doctorVerb: VerbBody = {
  examples: ['doctor', 'doctor --json'],
  // The command opens the database itself, because a database that does not answer is one of its results.
  needs: 'database-on-demand',
  run: doctorCommand,
};

const NAMED = 10;

/** Checks that this terminal's secrets match the database and open every signing secret. */
async function checkSecrets(db: Db, config: Config): Promise<HealthCheck> {
  try {
    const { secretsKey } = await inspectSecrets(db, config, opensSealed);
    const none = { secrets: [], headers: [] };
    const { secrets, headers } =
      secretsKey === undefined ? none : await findUnopenedEndpoints(db, secretsKey);
    if (secrets.length + headers.length === 0) return ok('secrets', 'they open all stored secrets');
    const problems = [
      secrets.length > 0 &&
        `the signing secrets of ${nameEndpoints(secrets)}: nothing is delivered there; rotate these secrets`,
      headers.length > 0 &&
        `the headers of the subscriptions ${nameEndpoints(headers)}: nothing is delivered there; ask their resellers to send their ` +
          'headers again',
    ];
    return broken(
      'secrets',
      `SECRETS_KEY does not open ${problems.filter(Boolean).join('. It does not open ')}`,
      secrets.slice(0, NAMED).map(({ id }) => `tourctl webhook rotate-secret ${id} --grace 0s --yes`),
    );
  } catch (error) {
    if (!(error instanceof SecretsError || error instanceof ConfigError)) throw error;
    return broken('secrets', error.message, ['tourctl config list']);
  }
}

function nameEndpoints(endpoints: { id: string; tenant: string }[]): string {
  const named = endpoints.slice(0, NAMED).map(({ id, tenant }) => `${id} of ${tenant}`);
  const more = endpoints.length > NAMED ? ` and ${endpoints.length - NAMED} more` : '';
  return `${named.join(', ')}${more}`;
}

async function checkStore({ sharedStore }: Pick<Config, 'sharedStore'>): Promise<HealthCheck> {
  if (!sharedStore) return ok('store', 'quotas and cache in memory, for one instance');
  const [variable, command] =
    sharedStore.kind === 'redis'
      ? ['REDIS_URL', 'redis-cli -u "$REDIS_URL" ping']
      : ['CACHE_REST_URL', 'curl -fsS -H "Authorization: Bearer $CACHE_REST_TOKEN" "$CACHE_REST_URL/ping"'];
  // Loads the clients of the store only where one is configured.
  const { probeStore } =
    require('../../services/platform/shared-store/shared-store') as typeof import('../../services/platform/shared-store/shared-store');
  try {
    const { roundTripMs } = await probeStore(sharedStore);
    return ok('store', `${variable} answers in ${roundTripMs} ms`);
  } catch (error) {
    return broken('store', `${variable}: ${(error as Error).message}`, [command]);
  }
}

const LOOKED_AT = 1000;

/** Checks the API keys and widget tokens of trial and active tenants. */
async function checkKeys(db: Db): Promise<HealthCheck[]> {
  const keys = await selectCredentialsAtRisk(db, 'api_key', LOOKED_AT);
  const tokens = await selectCredentialsAtRisk(db, 'widget_token', LOOKED_AT);
  const all: AtRisk[] = [
    ...keys.map((credential) => ({ noun: 'key' as const, credential })),
    ...tokens.map((credential) => ({ noun: 'widget' as const, credential })),
  ];
  return [
    checkFor(all, 'keys', 'expires_soon', `to expire within ${EXPIRING_DAYS} days`),
    checkFor(all, 'unused-keys', 'never_used', `not used once in ${UNUSED_DAYS} days`),
    checkFor(all, 'browser-keys', 'seen_in_browser', 'API keys that come from browsers'),
  ];
}

interface AtRisk {
  noun: CredentialNoun;
  credential: Credential;
}

function checkFor(all: AtRisk[], name: string, warning: CredentialWarning, meaning: string): HealthCheck {
  const found = all.filter(({ credential }) => credential.warnings.includes(warning));
  return noticeOf(name, found, {
    meaning,
    label: ({ credential: { id, tenant } }) => `${id} of ${tenant}`,
    command: ({ noun, credential }) => adviseOn(noun, credential, warning).command,
  });
}

/** Checks the disk. A full disk stops the embedded database; an installation with DATABASE_URL only loses its logs. */
function checkDisk({ dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>): HealthCheck[] {
  const space = readDiskSpace(dataDir);
  if (!space) return [];
  // Only the check of the database knows the disk of its server.
  const place = databaseUrl === undefined ? dataDir : `${dataDir} on this machine, not for the database`;
  if (space.state === 'enough') return [ok('disk', `more than 1 GiB is free for ${place}`)];
  const isDown = space.state === 'full' && databaseUrl === undefined;
  const detail = `${Math.floor(space.freeBytes / 1024 ** 2)} MiB are free for ${place}`;
  return [
    isDown
      ? broken('disk', `${detail}: the database cannot write`, [`df -h ${dataDir}`])
      : notice('disk', detail, [`df -h ${dataDir}`]),
  ];
}

/** Tells the age of the last backup. No age is a notice, because a snapshot of a provider or pgBackRest does not pass tourctl. */
async function checkBackup(db: Db): Promise<HealthCheck> {
  const last = await findLastBackup(db);
  if (!last) return ok('backup', 'no backup was made with tourctl yet (docs/back-up-and-restore.md)');
  return ok('backup', `last backup: ${roughDuration(last.ageSeconds)} ago (${last.subject})`);
}

const MOST = 100;

/** Finds price rules that make prices 0, or less than half of the platform's. */
async function checkLowPrices(db: Db): Promise<HealthCheck> {
  return noticeOf('low-prices', await findLowPriceRules(db, { limit: MOST }), {
    meaning: 'price rules to look at',
    label: ({ tenant, rule, ...low }) =>
      `${rule.id} of ${tenant.slug} ${describeLowPrices({ rule, ...low })}`,
    command: ({ tenant, lowest: { tour, departureDate: date, departureTime } }) => {
      const departure = date === null ? '' : ` --date ${departureArgument(date, departureTime)}`;
      return `tourctl pricing simulate ${tenant.slug} ${tour}${departure}`;
    },
  });
}

/** The most days of a rate without a notice. The European Central Bank publishes rates on each of its working days. */
const RATE_DAYS = 7;

/**
 * Finds tours that tenants with a selling currency do not see because a rate is missing, tours with prices that become 0 or too large, and
 * rates that are out of date.
 */
async function checkRates(db: Db): Promise<HealthCheck[]> {
  return [
    noticeOf('missing-rates', await findUnsellableTours(db), {
      meaning: 'tours that a tenant does not see, because a rate is missing',
      label: ({ tenant, sellIn, currency, tours }) =>
        `${countOf(tours, 'tour')} in ${currency} for ${tenant} (${sellIn})`,
      command: ({ missing }) =>
        `tourctl rates set ${missing.map((currency) => `${currency} RATE`).join(' ')}`,
    }),
    noticeOf('unsold-prices', await findUnsoldPrices(db, MOST), {
      meaning: 'tours that a tenant does not sell at some prices, because they become 0 or too large',
      label: ({ tour, tenant, currency, sellIn, rate, rateDate, prices }) =>
        `${countOf(prices, 'price')} of ${tour} for ${tenant} (1 ${currency} = ${rate} ${sellIn} of ${rateDate})`,
      command: () => 'tourctl rates list',
    }),
    noticeOf('old-rates', await findOldRates(db, RATE_DAYS), {
      meaning: `rates older than ${RATE_DAYS} days`,
      label: ({ currency, rateDate }) => `${currency} of ${rateDate}`,
      command: () => 'tourctl rates import FILE',
    }),
  ];
}

/** A running worker takes due deliveries within a second. A delay of a minute is longer than a short peak of load causes. */
const LATE_SECONDS = 60;

async function checkQueue(db: Db): Promise<HealthCheck[]> {
  const health = await inspectQueue(db);
  const workers = checkWorkers(health, await countEndingPeople(db));
  return [checkDepth(health), checkDeliveries(health), checkEndpoints(health), workers];
}

function checkDepth({ due, oldestDueSeconds, held, workers }: QueueHealth): HealthCheck {
  const age = due > 0 ? `, the oldest for ${oldestDueSeconds} s` : '';
  const detail = `${due} due${age}; ${held} held back by their endpoints`;
  if (oldestDueSeconds < LATE_SECONDS) return ok('queue', detail);
  // Names no command if no queue runs, because the check of the workers says what to do.
  return notice('queue', detail, workers === 0 ? [] : ['tourctl monitor']);
}

function checkDeliveries({ dead, retrying, waiting }: QueueHealth): HealthCheck {
  const detail = `${retrying} to be retried, ${waiting} waiting for an endpoint to be added, ${dead} dead`;
  if (dead === 0) return ok('deliveries', detail);
  return notice('deliveries', detail, [
    'tourctl delivery list --status dead',
    'tourctl delivery replay --status dead --since 24h --dry-run',
  ]);
}

function checkEndpoints({ failing }: QueueHealth): HealthCheck {
  if (failing.length === 0) return ok('endpoints', 'none fails or is disabled');
  return noticeOf('endpoints', failing.map(toFailingDocument), {
    meaning: 'failing or disabled, so that deliveries wait',
    label: describeFailing,
    command: adviseOnFailing,
  });
}

/** @param ending the people whose login ends by itself: the queue ends their sessions */
function checkWorkers({ workers, silent, due }: QueueHealth, ending: number): HealthCheck {
  if (workers === 0) {
    const last = silent[0]
      ? `; ${silent[0].id} has not reported since ${silent[0].beatAt.toISOString()}`
      : '';
    const waiting = due > 0 ? `, and ${countIs(due, 'delivery')} due` : '';
    const open =
      ending > 0
        ? `, and open sessions of ${ending === 1 ? 'a person' : `${ending} people`} do not end with the login`
        : '';
    const detail = `no webhook queue runs: nothing is sent${waiting}${open}${last}; ${START_WEBHOOK_QUEUE}`;
    return notice('workers', detail, []);
  }
  if (silent.length > 0) {
    return noticeOf('workers', silent, {
      meaning: 'killed, or disconnected from the database (other workers send their deliveries)',
      label: ({ id, beatAt }) => `${id} has not reported since ${beatAt.toISOString()}`,
      advice: START_WEBHOOK_QUEUE,
    });
  }
  return ok('workers', `${workers} of the webhook queue`);
}

async function doctorCommand(terminal: OpeningTerminal<Context>): Promise<number> {
  const { config } = terminal;
  const checks = [...(await examine(terminal)), await checkStore(config), ...checkDisk(config)];
  const ok = checks.every((check) => check.status !== 'broken');
  await terminal.output.answer({ ok, checks }, (screen) => describe(checks, screen));
  return ok ? EXIT.done : EXIT.refused;
}

async function examine(terminal: OpeningTerminal<Context>): Promise<HealthCheck[]> {
  try {
    return await terminal.withDatabase({ schema: 'as-is' }, async ({ db, person }) => {
      const checks = await inspectInstallation(db, person ? undefined : SALE_TRIAL);
      const isOutdated = checks.some(({ name, status }) => name === 'migrations' && status === 'broken');
      if (isOutdated) return checks;
      const mayOpen = !person || opensSecrets(person.roles);
      const secrets = mayOpen
        ? await checkSecrets(db, terminal.config)
        : notice('secrets', 'hidden: the roles of this login do not show it', []);
      const prices = [await checkLowPrices(db), ...(await checkRates(db))];
      const currencies = ok('currencies', `ISO 4217 as of ${CURRENCIES_AS_OF}`);
      const backup = await checkIfAllowed('backup', () => checkBackup(db));
      const rest = [...prices, ...(await checkKeys(db)), ...(await checkQueue(db)), backup];
      return [...checks, ...checkLogin(person), ...(await checkPublic(db)), secrets, currencies, ...rest];
    });
  } catch (error) {
    if (error instanceof CancelledError || error instanceof NoInstallationError) throw error;
    const command = terminal.config.databaseUrl
      ? 'psql "$DATABASE_URL" -c "select now()"'
      : `ls -l ${terminal.config.dataDir}`;
    return [broken('database', describeError(error).message, [command])];
  }
}

/** Finds rights of every login of the server on a database with people. */
async function checkPublic(db: Db): Promise<HealthCheck[]> {
  const rights = await findRightsOfPublic(db);
  if (rights.length === 0) return [];
  const detail =
    'every login of this server has rights by which people of another installation may read this one, or people act as the owner';
  const commands = rights.map((right) => `psql "$DATABASE_URL" -c 'revoke ${right} from public'`);
  return [notice('people', detail, commands)];
}

/** Says what the roles of a person hide. Empty for the owner. */
function checkLogin(person: PersonOfSession | undefined): HealthCheck[] {
  if (!person) return [];
  const hidden = hiddenFrom(person.roles).join(', ') || 'nothing';
  return [ok('login', `${person.name} (${person.roles.join(', ')}); hidden: ${hidden}`)];
}

const TONES: Record<HealthCheck['status'], Tone> = { ok: 'good', notice: 'waiting', broken: 'bad' };

/** Lists each check with its detail, and the commands to run below it. */
function describe(checks: HealthCheck[], screen: Screen): string {
  const width = Math.max(...checks.map(({ name }) => textWidth(name)));
  return checks
    .map(({ name, status, detail, commands }) => {
      const painted = paint(padText(status, 'notice'.length), TONES[status], screen);
      const label = `${painted}  ${padText(name, width)}`;
      return beside(label, detail, { width: 'notice'.length + 2 + width, commands, screen });
    })
    .join('\n');
}
