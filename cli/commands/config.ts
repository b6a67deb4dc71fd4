import {
  checkEnvironment,
  type Config,
  missingSecrets,
  readEnvFile,
} from '../../services/platform/config/config';
import { type VariableName, VARIABLES } from '../../services/platform/config/variables';
import { hasDatabase } from '../../services/platform/embedded-postgres/embedded-postgres';
import type { Environment, Variable } from '../../services/platform/read-variable';
import { flag, type Verb } from '../engine/command';
import { type Basics, settingsOf } from '../engine/context';
import { EXIT, SettingsError, UsageError } from '../engine/failure';
import { didYouMean, nearest } from '../engine/nearest';
import type { Io } from '../terminal/io';
import { properties, tableOf } from '../terminal/table';
import { countIs } from '../terminal/text';

function variable(text: string, name: string): VariableName {
  const wanted = text.toUpperCase().replaceAll('-', '_');
  const names = Object.keys(VARIABLES) as VariableName[];
  const found = names.find((each) => each === wanted);
  if (found) return found;
  throw new UsageError(
    `${name} must be one of the variables in tourctl config list${didYouMean(nearest(wanted, names))}`,
  );
}

export const configVerbs: Verb[] = [
  {
    usage: 'list',
    about: 'List every variable, its value, and where that comes from; secrets stay hidden',
    flags: [flag('--set', 'only those that the environment or .env sets')],
    examples: ['config list', 'config list --set'],
    needs: 'nothing',
    run: listConfigCommand,
  },
  {
    usage: 'show <variable>',
    about: 'Show a variable with its valid values',
    args: { variable },
    examples: ['config show DATABASE_URL'],
    needs: 'nothing',
    run: showConfigCommand,
  },
  {
    usage: 'get <variable>',
    about: 'Print the effective value, for a script; a secret is never printed',
    args: { variable },
    examples: ['config get PUBLIC_BASE_URL', 'config get API_PORT --json'],
    needs: 'nothing',
    run: getConfigCommand,
  },
  {
    usage: 'check',
    about:
      'Check all variables at once, also for misspelt names, and show where each comes from; exit 1 if the services would not start',
    examples: ['config check'],
    needs: 'nothing',
    run: checkConfigCommand,
  },
];

const describeSettings = tableOf<Setting>(
  [
    'variable',
    { heading: 'value', least: 14, tones: { '(wrong)': 'bad' }, cell: shownValue },
    { heading: 'from', cell: ({ source }) => source },
    { heading: 'purpose', least: 16, cell: ({ about }) => about },
  ],
  'Neither the environment nor .env sets a variable',
);

async function listConfigCommand({ io, output }: Basics, { set }: { set?: boolean }): Promise<void> {
  const items = readSettings(io).items.filter(({ source }) => !set || isGiven(source));
  await output.answer({ items }, (screen) => describeSettings(items, screen));
  const wrong = items.filter(({ fault }) => fault !== null);
  if (wrong.length > 0)
    output.warn(`${countIs(wrong.length, 'setting')} wrong, and no service starts: tourctl config check`);
}

function isGiven(source: string): boolean {
  return source === 'environment' || source === '.env';
}

async function showConfigCommand({ io, output }: Basics, _: object, variable: VariableName): Promise<void> {
  const setting = readSetting(io, variable);
  await output.answer(setting, (screen) => properties({ ...setting, value: shownValue(setting) }, screen));
}

/** @throws SettingsError for a secret, an invalid value, and a variable without a value */
async function getConfigCommand({ io, output }: Basics, _: object, variable: VariableName): Promise<void> {
  const setting = readSetting(io, variable);
  const { value, fault, secret, source } = setting;
  if (fault) throw new SettingsError(fault);
  if (output.json) return output.answer(setting, () => '');
  if (secret && source !== 'unset')
    throw new SettingsError(`${variable} is a secret and never shown (from: ${source})`);
  if (value === null) throw new SettingsError(`${variable} is not set, and has no default`);
  await output.answer(setting, () => value);
}

/** Typing errors in shorter names are not reported, because a short name resembles too many others. */
const SHORTEST_TYPO = 8;

async function checkConfigCommand({ io, output }: Basics): Promise<number> {
  const { items, config, issues } = readSettings(io);
  const notices = misspelt({ ...readFileOf(io), ...io.env });
  if (config.databaseUrl === undefined && !hasDatabase(config.dataDir))
    notices.push({
      variable: 'DATA_DIR',
      message: `${config.dataDir} has no database: tourctl up or tourctl migrate creates one`,
    });
  const ok = issues.length === 0;
  const sources = Object.fromEntries(items.map(({ variable, source }) => [variable, source]));
  await output.answer({ ok, faults: issues, notices, sources }, () => {
    const given = items
      .filter(({ source }) => isGiven(source))
      .map(({ variable, source }) => `set     ${variable} (${source})`);
    const wrong = issues.map(({ message }) => `wrong   ${message}`);
    const noted = notices.map(({ message }) => `notice  ${message}`);
    return [...given, ...wrong, ...noted, ok ? 'The services would start on these settings' : '']
      .filter(Boolean)
      .join('\n');
  });
  if (!ok) await output.error('invalid_configuration', `${countIs(issues.length, 'setting')} wrong`);
  return ok ? EXIT.done : EXIT.refused;
}

/** Finds misspelt names of variables, whose defaults would apply unnoticed. */
function misspelt(env: Basics['io']['env']): VariableIssue[] {
  const names = Object.keys(VARIABLES);
  return Object.keys(env)
    .filter((name) => name.length >= SHORTEST_TYPO && !names.includes(name))
    .flatMap((variable) =>
      nearest(variable, names).map((meant) => ({
        variable,
        message: `${variable} is not a variable of this platform: did you mean ${meant}?`,
      })),
    );
}

interface Setting {
  variable: VariableName;
  /** Null for a secret, and if there is no value. */
  value: string | null;
  source: 'environment' | '.env' | 'default' | 'generated' | 'unset';
  secret: boolean;
  about: string;
  must_be: string;
  /** Null if the value is valid. */
  fault: string | null;
}

interface VariableIssue {
  variable: string;
  message: string;
}

interface Settings {
  /** In the order of VARIABLES. */
  items: Setting[];
  config: Config;
  /** All issues of the environment; a service stops at the first one that concerns it. */
  issues: VariableIssue[];
}

function readSettings(io: Io): Settings {
  const given = settingsOf(io);
  const file = readFileOf(io);
  const { config, values, texts, issues: invalid } = checkEnvironment(given);
  // Reports an invalid secret once, not as missing too.
  const missing = missingSecrets(config).filter(({ variable }) => !given[variable]);
  const issues = [...invalid, ...missing].map(({ variable, message }) => ({ variable, message }));
  const items = (Object.entries(VARIABLES) as [VariableName, Variable][]).map(([name, variable]): Setting => {
    const fault = issues.find((issue) => issue.variable === name)?.message ?? null;
    const value = values[name] === undefined ? undefined : (variable.show?.(values[name]) ?? texts[name]);
    return {
      variable: name,
      // Hides an invalid value, because it may be a secret in the wrong variable.
      value: fault || variable.secret ? null : (value ?? null),
      source: setBy(io, file, name) ?? unsetSource(variable, value, config),
      secret: variable.secret ?? false,
      about: variable.about,
      must_be: variable.mustBe,
      fault,
    };
  });
  return { items, config, issues };
}

/** Reads the .env file of the working directory. @throws EnvFileError */
function readFileOf({ envFile }: Io): Environment {
  return envFile === undefined ? {} : readEnvFile(envFile);
}

function setBy({ env }: Io, file: Environment, name: VariableName): Setting['source'] | undefined {
  if (env[name]) return 'environment';
  // An empty value of the environment also replaces the line of .env.
  return env[name] === undefined && file[name] ? '.env' : undefined;
}

function readSetting(io: Io, variable: VariableName): Setting {
  return readSettings(io).items.find((setting) => setting.variable === variable)!;
}

function unsetSource(
  { generated }: Variable,
  value: string | undefined,
  { databaseUrl }: Config,
): Setting['source'] {
  if (generated) return databaseUrl === undefined ? 'generated' : 'unset';
  return value === undefined ? 'unset' : 'default';
}

/** Returns the value for the screen. */
function shownValue({ value, source, secret, fault }: Setting): string | null {
  if (fault) return '(wrong)';
  return secret && source !== 'unset' ? '(secret)' : value;
}
