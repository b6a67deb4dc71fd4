import {
  broken,
  type HealthCheck,
  inspectInstallation,
} from '../../../services/api/health/inspect-installation';
import { type Terminal, withContext } from '../../engine/context';
import { describeError, EXIT } from '../../engine/failure';
import { CancelledError } from '../../terminal/io';
import { paint, type Screen, type Tone } from '../../terminal/screen';
import { padText, textWidth, wrapText } from '../../terminal/text-width';
import { checkKeys, checkLowPrices, checkQueue, checkSecrets, checkStore } from './checks';

export async function doctorCommand(terminal: Terminal): Promise<number> {
  const checks = [...(await examine(terminal)), await checkStore(terminal.config)];
  const ok = checks.every((check) => check.status !== 'broken');
  terminal.output.answer({ ok, checks }, (screen) => describe(checks, screen));
  return ok ? EXIT.done : EXIT.refused;
}

async function examine(terminal: Terminal): Promise<HealthCheck[]> {
  try {
    return await withContext(terminal, 'as-is', async ({ db }) => {
      const checks = await inspectInstallation(db);
      const isOutdated = checks.some(({ name, status }) => name === 'migrations' && status === 'broken');
      if (isOutdated) return checks;
      const secrets = await checkSecrets(db, terminal.config);
      const prices = await checkLowPrices(db);
      return [...checks, secrets, prices, ...(await checkKeys(db)), ...(await checkQueue(db))];
    });
  } catch (error) {
    if (error instanceof CancelledError) throw error;
    const command = terminal.config.databaseUrl
      ? 'psql "$DATABASE_URL" -c "select now()"'
      : `ls -l ${terminal.config.dataDir}`;
    return [broken('database', describeError(error).message, [command])];
  }
}

const TONES: Record<HealthCheck['status'], Tone> = { ok: 'good', notice: 'waiting', broken: 'bad' };

/** Lists each check with its detail, and the commands to run below it. */
function describe(checks: HealthCheck[], screen: Screen): string {
  const width = Math.max(...checks.map(({ name }) => textWidth(name)));
  const indent = ' '.repeat('notice'.length + width + 4);
  const room = Math.max(20, (screen.columns ?? Infinity) - indent.length);
  return checks
    .flatMap(({ name, status, detail, commands }) => {
      const [first, ...rest] = wrapText(detail, room);
      const head = `${paint(padText(status, 'notice'.length), TONES[status], screen)}  ${padText(name, width)}`;
      return [
        `${head}  ${first}`,
        ...rest.map((line) => indent + line),
        ...commands.map((command) => `${indent}$ ${command}`),
      ];
    })
    .join('\n');
}
