import { existsSync } from 'node:fs';
import type { Basics } from '../../context';
import { EXIT } from '../../failure';
import { nearest } from '../../nearest';
import { judgeEnvironment, type Fault } from './judge-environment';
import { VARIABLES } from './variables';

/** Of a shorter name almost anything is a misspelling. */
const SHORTEST_TYPO = 8;

export async function checkConfigCommand({ io, output }: Basics): Promise<number> {
  const { config, faults } = judgeEnvironment(io);
  const notices = [...misspelt(io.env)];
  if (config.databaseUrl === undefined && !existsSync(config.dataDir))
    notices.push({
      variable: 'DATA_DIR',
      message: `${config.dataDir} does not exist yet: the first start makes it`,
    });
  const ok = faults.length === 0;
  output.answer({ ok, faults, notices }, () => {
    const wrong = faults.map(({ message }) => `wrong   ${message}`);
    const noted = notices.map(({ message }) => `notice  ${message}`);
    return [...wrong, ...noted, ok ? 'The services would start on these settings' : '']
      .filter(Boolean)
      .join('\n');
  });
  if (!ok) output.error('invalid_configuration', `${faults.length} of the variables must be mended`);
  return ok ? EXIT.done : EXIT.refused;
}

/** A variable of a misspelt name is nobody's, and the default holds unnoticed. */
function misspelt(env: Basics['io']['env']): Fault[] {
  const names = Object.keys(VARIABLES);
  return Object.keys(env)
    .filter((name) => name.length >= SHORTEST_TYPO && !names.includes(name))
    .flatMap((variable) =>
      nearest(variable, names).map((meant) => ({
        variable,
        message: `${variable} is no variable of ours: did you mean ${meant}?`,
      })),
    );
}
