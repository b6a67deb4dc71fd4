import type { Basics } from '../../engine/context';
import { EXIT, SettingsError } from '../../engine/failure';
import { nearest } from '../../engine/nearest';
import { type Column, properties, table } from '../../terminal/table';
import { countIs } from '../../terminal/text';
import { hasDatabase } from '../../../services/platform/embedded-postgres';
import { type VariableName, VARIABLES } from '../../../services/platform/config/variables';
import { type VariableIssue, readFileOf, readSetting, readSettings, shownValue } from './settings';

const COLUMNS: Column[] = [
  'variable',
  { heading: 'value', least: 14, tones: { '(wrong)': 'bad' } },
  'from',
  { heading: 'purpose', least: 16 },
];

export async function listConfigCommand({ io, output }: Basics, { set }: { set?: boolean }): Promise<void> {
  const items = readSettings(io).items.filter(({ source }) => !set || isGiven(source));
  output.answer({ items }, (screen) => {
    const rows = items.map((each) => [each.variable, shownValue(each), each.source, each.about]);
    return table(COLUMNS, rows, 'Neither the environment nor .env sets a variable', screen);
  });
  const wrong = items.filter(({ fault }) => fault !== null);
  if (wrong.length > 0)
    output.warn(`${countIs(wrong.length, 'setting')} wrong, and no service starts: tourctl config check`);
}

function isGiven(source: string): boolean {
  return source === 'environment' || source === '.env';
}

export async function showConfigCommand(
  { io, output }: Basics,
  _: object,
  variable: VariableName,
): Promise<void> {
  const setting = readSetting(io, variable);
  output.answer(setting, (screen) => properties({ ...setting, value: shownValue(setting) }, screen));
}

/** @throws SettingsError for a secret, an invalid value, and a variable without a value */
export async function getConfigCommand(
  { io, output }: Basics,
  _: object,
  variable: VariableName,
): Promise<void> {
  const setting = readSetting(io, variable);
  const { value, fault, secret, source } = setting;
  if (fault) throw new SettingsError(fault);
  if (output.json) return output.answer(setting, () => '');
  if (secret && source !== 'unset')
    throw new SettingsError(`${variable} is a secret and never shown (from: ${source})`);
  if (value === null) throw new SettingsError(`${variable} is not set, and has no default`);
  output.answer(setting, () => value);
}

/** A shorter name resembles too many others. */
const SHORTEST_TYPO = 8;

export async function checkConfigCommand({ io, output }: Basics): Promise<number> {
  const { items, config, issues } = readSettings(io);
  const notices = misspelt({ ...readFileOf(io), ...io.env });
  if (config.databaseUrl === undefined && !hasDatabase(config.dataDir))
    notices.push({
      variable: 'DATA_DIR',
      message: `${config.dataDir} has no database: npm start or tourctl migrate creates one`,
    });
  const ok = issues.length === 0;
  const sources = Object.fromEntries(items.map(({ variable, source }) => [variable, source]));
  output.answer({ ok, faults: issues, notices, sources }, () => {
    const given = items
      .filter(({ source }) => isGiven(source))
      .map(({ variable, source }) => `set     ${variable} (${source})`);
    const wrong = issues.map(({ message }) => `wrong   ${message}`);
    const noted = notices.map(({ message }) => `notice  ${message}`);
    return [...given, ...wrong, ...noted, ok ? 'The services would start on these settings' : '']
      .filter(Boolean)
      .join('\n');
  });
  if (!ok) output.error('invalid_configuration', `${countIs(issues.length, 'setting')} wrong`);
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
