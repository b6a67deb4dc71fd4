import { explainEmbedding } from '../../../services/api/widget/explain-embedding';
import type { Context } from '../../context';
import { EXIT } from '../../failure';
import { properties } from '../../table';

/** @returns 1 where the page may not show it */
export async function explainEmbeddingCommand(
  { db, output, secrets }: Context,
  { token, origin }: { token: string; origin: string },
): Promise<number> {
  const embedding = await explainEmbedding(db, secrets.keyPepper, token, origin);
  output.answer(embedding, (screen) => properties({ ...embedding }, screen));
  return embedding.allowed ? EXIT.done : EXIT.refused;
}
