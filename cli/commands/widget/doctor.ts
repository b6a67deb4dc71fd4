import { explainEmbedding } from '../../../services/api/widget/explain-embedding';
import type { Context } from '../../context';
import { EXIT } from '../../failure';
import { readPastedToken } from '../../pasted-token';
import { properties } from '../../table';

/** @returns 1 where the page may not show it */
export async function explainEmbeddingCommand(
  { db, io, output, secrets }: Context,
  { token, origin }: { token?: string; origin: string },
): Promise<number> {
  const asked = token ?? (await readPastedToken(io, output, 'widget doctor'));
  const embedding = await explainEmbedding(db, secrets.keyPepper, asked, origin);
  output.answer(embedding, (screen) => properties({ ...embedding }, screen));
  return embedding.allowed ? EXIT.done : EXIT.refused;
}
