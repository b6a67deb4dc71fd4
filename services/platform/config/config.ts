import path from 'node:path';
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { ConfigError, type Environment, type Readings, readVariables } from '../read-variable';
import { isAccessRefused, runAsReader } from '../accounts';
import { type TrustProxy, VARIABLES } from './variables';
import type { StoreAddress } from '../shared-store/store-address';
import { AppError } from '../errors';

export interface Config {
  host: string;
  apiPort: number;
  webhookQueuePort: number;
  /** Port of the API's metrics. The metrics of the queue are on the next port. */
  metricsPort: number;
  publicBaseUrl: string;
  dataDir: string;
  /** Undefined: the service uses the embedded database of dataDir. */
  databaseUrl: string | undefined;
  databaseDirectUrl: string | undefined;
  /** The synchronous standbys that the database should have. */
  databaseStandbys: number;
  /** Undefined: quotas and cache are in memory, for one instance. */
  sharedStore: StoreAddress | undefined;
  replicas: number;
  quotas: Quotas;
  supplier: SupplierContact;
  trustProxy: TrustProxy;
  logLevel: string;
  cdnCache: boolean;
  /** false: every request reads credentials and catalog from the database. */
  remember: boolean;
  /** false: each hold and each booking is created in its own transaction. */
  groupCommit: boolean;
  preparedStatements: boolean;
  webhooks: { allowPrivateTargets: boolean; retryScheduleSeconds: number[]; retentionDays: number };
  holds: { customerDays: number; retentionDays: number };
  /** ANSWER_DAYS */
  answerDays: number;
  /** The name of the person at the terminal. Undefined: the system user. */
  actor: string | undefined;
  /** The slug of the tenant of commands that name none. */
  defaultTenant: string | undefined;
  /** The values of the environment. secrets.ts refuses or generates missing ones. */
  secrets: { secretsKey?: string; cursorKey?: string; keyPepper?: string };
}

/** The operator's contact data, which OCTO shows to resellers (docs/guide/octo.md). */
export interface SupplierContact {
  name: string;
  email: string | undefined;
  phone: string | undefined;
  address: string | undefined;
  website: string | undefined;
}

/** The requests that a key or a widget token may send in a minute (docs/guide/selling.md). */
export interface Quotas {
  availability: number;
  hold: number;
  booking: number;
  catalog: number;
  widget: number;
}

interface CheckedEnvironment {
  /** Has the default instead of an invalid value. */
  config: Config;
  texts: Readings<typeof VARIABLES>['texts'];
  values: Readings<typeof VARIABLES>['values'];
  /** Each variable has at most one issue. */
  issues: ConfigError[];
}

/**
 * Adds the platform's own variables of an .env file to an environment. A variable of the environment replaces the line of the file, even if
 * its value is empty. An empty value selects the default, so one command can ignore a line of the file.
 * @throws EnvFileError
 */
export function withEnvFile(env: Environment, file: string): Environment {
  const ours = Object.entries(readEnvFile(file)).filter(([name]) => name in VARIABLES);
  return { ...Object.fromEntries(ours), ...env };
}

/**
 * Reads the configuration from an environment. By default this is the environment of the process, with the .env file of the working
 * directory.
 * @throws ConfigError with one line that names the first invalid variable and its valid values; EnvFileError
 */
export function loadConfig(env: Environment = withEnvFile(process.env, path.resolve('.env'))): Config {
  const { config, issues } = checkEnvironment(env);
  if (issues[0]) throw issues[0];
  return config;
}

/** Reads the environment and returns all its issues. Missing secrets are not among these issues: missingSecrets lists them. */
export function checkEnvironment(env: Environment): CheckedEnvironment {
  const { values, texts, issues } = readVariables(env, VARIABLES);
  const isValid = ({ variable }: ConfigError) => !issues.some((issue) => issue.variable === variable);
  const config: Config = {
    host: values.HOST,
    apiPort: values.API_PORT,
    webhookQueuePort: values.WEBHOOK_QUEUE_PORT,
    metricsPort: values.METRICS_PORT,
    publicBaseUrl: values.PUBLIC_BASE_URL,
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    databaseDirectUrl: values.DATABASE_DIRECT_URL,
    databaseStandbys: values.DATABASE_STANDBYS,
    sharedStore: storeAddress(values),
    replicas: values.REPLICAS,
    quotas: {
      availability: values.GATEWAY_AVAILABILITY_RPM,
      hold: values.GATEWAY_HOLD_RPM,
      booking: values.GATEWAY_BOOKING_RPM,
      catalog: values.CATALOG_RPM,
      widget: values.WIDGET_RPM,
    },
    supplier: {
      name: values.SUPPLIER_NAME,
      email: values.SUPPLIER_EMAIL,
      phone: values.SUPPLIER_PHONE,
      address: values.SUPPLIER_ADDRESS,
      website: values.SUPPLIER_WEBSITE,
    },
    trustProxy: values.TRUST_PROXY,
    logLevel: values.LOG_LEVEL,
    cdnCache: values.CDN_CACHE,
    remember: values.AUTHORIZATION_CACHE,
    groupCommit: values.GROUP_COMMIT,
    preparedStatements: values.PREPARED_STATEMENTS,
    webhooks: {
      allowPrivateTargets: values.WEBHOOK_ALLOW_PRIVATE_TARGETS,
      retryScheduleSeconds: values.WEBHOOK_RETRY_SCHEDULE,
      retentionDays: values.WEBHOOK_RETENTION_DAYS,
    },
    holds: {
      customerDays: values.HOLD_CUSTOMER_DAYS,
      retentionDays: values.HOLD_RETENTION_DAYS,
    },
    answerDays: values.ANSWER_DAYS,
    actor: values.TOURCTL_ACTOR,
    defaultTenant: values.TOURCTL_TENANT,
    secrets: {
      secretsKey: values.SECRETS_KEY,
      cursorKey: values.CURSOR_KEY,
      keyPepper: values.KEY_PEPPER,
    },
  };
  return { config, texts, values, issues: [...issues, ...storeIssues(env).filter(isValid)] };
}

function storeAddress({
  REDIS_URL: redis,
  CACHE_REST_URL: url,
  CACHE_REST_TOKEN: token,
}: CheckedEnvironment['values']): StoreAddress | undefined {
  return redis ?? (url && token ? { kind: 'rest', url, token } : undefined);
}

function storeIssues({ REDIS_URL, CACHE_REST_URL, CACHE_REST_TOKEN }: Environment): ConfigError[] {
  if (REDIS_URL && (CACHE_REST_URL || CACHE_REST_TOKEN))
    return [
      new ConfigError(
        'REDIS_URL',
        'must be left out when CACHE_REST_URL or CACHE_REST_TOKEN is set: use one shared store',
      ),
    ];
  if (CACHE_REST_TOKEN && !CACHE_REST_URL)
    return [new ConfigError('CACHE_REST_URL', 'must be set where CACHE_REST_TOKEN is set')];
  if (CACHE_REST_URL && !CACHE_REST_TOKEN)
    return [new ConfigError('CACHE_REST_TOKEN', 'must be set where CACHE_REST_URL is set')];
  return [];
}

/** Lists the secrets that services need and this configuration lacks. */
export function missingSecrets({ databaseUrl, secrets }: Config): ConfigError[] {
  if (!databaseUrl) return [];
  return [
    ...(secrets.secretsKey ? [] : [missingSecret('SECRETS_KEY')]),
    ...(secrets.cursorKey ? [] : [missingSecret('CURSOR_KEY')]),
  ];
}

export function missingSecret(name: string): ConfigError {
  return new ConfigError(
    name,
    'must be set where DATABASE_URL is set: at least 32 characters, the same for every process (openssl rand -hex 32)',
  );
}

/** An .env file cannot be read, or one of its lines is invalid. The message never contains the line, because the line may hold a secret. */
class EnvFileError extends AppError {
  readonly code = 'invalid_configuration';

  constructor(file: string, problem: string, nextStep = 'Correct the file, or move it away') {
    super(`${file} ${problem}. ${nextStep}`);
  }
}

/**
 * Reads the variables of an .env file with Node's own parser. Returns no variables if the file does not exist.
 * @throws EnvFileError also for an invalid line, which the parser alone would skip or join with the next line
 */
export function readEnvFile(file: string): Environment {
  const text = readText(file);
  const issue = findIssue(text);
  if (issue) throw new EnvFileError(`${file}, line ${issue.line},`, issue.problem);
  return parseEnv(text);
}

function readText(file: string): string {
  try {
    // Removes the byte order mark that some editors write at the start of a file. The parser would take the mark for a part of the first
    // name.
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return '';
    // Never says to move away a file that is right for another account.
    if (isAccessRefused(error))
      throw new EnvFileError(file, 'cannot be read by this account', runAsReader(file));
    throw new EnvFileError(file, `cannot be read (${message})`);
  }
}

const BLANK_OR_COMMENT = /^\s*(#|$)/;
const ASSIGNMENT = /^\s*(?:export\s+)?[A-Za-z_]\w*\s*=\s*(.*)$/;

/** Finds the first line that is neither blank, nor a comment, nor NAME=value. A value in quotes may have several lines. */
function findIssue(text: string): { line: number; problem: string } | undefined {
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    if (BLANK_OR_COMMENT.test(lines[at]!)) continue;
    const value = ASSIGNMENT.exec(lines[at]!)?.[1];
    if (value === undefined) return { line: at + 1, problem: 'is not NAME=value' };
    const quote = /^["'`]/.exec(value)?.[0];
    if (!quote || value.indexOf(quote, 1) > 0) continue;
    const end = lines.findIndex((line, number) => number > at && line.includes(quote));
    if (end < 0) return { line: at + 1, problem: `has no closing ${quote}` };
    at = end;
  }
  return undefined;
}
