/** Starts and ends an engine, to find out whether one can be started here. Fails with the reason. */
import { startEngine } from './engine';

startEngine()
  .then((engine) => engine.stop())
  .catch((error: unknown) => {
    process.stderr.write(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
