import path from 'node:path';
import type { Context } from '../../context';
import { plantDemoFor } from '../../plant-demo-command';
import { properties } from '../../table';

export async function seedCommand(context: Context): Promise<void> {
  const { tenant } = await plantDemoFor(context);
  const document = { tenant, credentials: path.join(context.config.dataDir, 'demo.json') };
  context.output.answer(document, () => properties(document));
}
