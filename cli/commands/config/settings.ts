import { checkEnvironment, missingSecrets, type Config } from '../../../services/platform/config';
import { readEnvFile } from '../../../services/platform/config/env-file';
import type { Environment, Variable } from '../../../services/platform/read-variable';
import { VARIABLES, type VariableName } from '../../../services/platform/config/variables';
import { settingsOf } from '../../engine/settings-of';
import type { Io } from '../../terminal/io';

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

export interface VariableIssue {
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

/** @throws EnvFileError */
export function readSettings(io: Io): Settings {
  const given = settingsOf(io);
  const file = readFileOf(io);
  const { config, values, texts, issues: invalid } = checkEnvironment(given);
  // An invalid secret is not missing as well.
  const missing = missingSecrets(config).filter(({ variable }) => !given[variable]);
  const issues = [...invalid, ...missing].map(({ variable, message }) => ({ variable, message }));
  const items = (Object.entries(VARIABLES) as [VariableName, Variable][]).map(([name, variable]): Setting => {
    const fault = issues.find((issue) => issue.variable === name)?.message ?? null;
    const value = values[name] === undefined ? undefined : (variable.show?.(values[name]) ?? texts[name]);
    return {
      variable: name,
      // An invalid value may be a secret in the wrong variable.
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
export function readFileOf({ envFile }: Io): Environment {
  return envFile === undefined ? {} : readEnvFile(envFile);
}

function setBy({ env }: Io, file: Environment, name: VariableName): Setting['source'] | undefined {
  if (env[name]) return 'environment';
  // An empty value of the environment wins too.
  return env[name] === undefined && file[name] ? '.env' : undefined;
}

export function readSetting(io: Io, variable: VariableName): Setting {
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
export function shownValue({ value, source, secret, fault }: Setting): string | null {
  if (fault) return '(wrong)';
  return secret && source !== 'unset' ? '(secret)' : value;
}
