import { type Db, inTransaction, type Trx } from '../../platform/database/database';
import { eraseLateAnswers, eraseLateNotes, eraseLateOctoPickups } from './booking-answers.repository';

const BATCH_SIZE = 500;
/** Limits one call, so that other periodic tasks do not wait. The next call continues. */
const BATCHES = 10;

/**
 * Erases the answers, the places and the travellers' notes of bookings whose travellers returned long ago. Each batch is one short transaction, which skips
 * locked bookings.
 * @param days ANSWER_DAYS
 * @rule answers and travellers' notes are erased after the return: test/cli/questions.test.ts
 */
export async function eraseAnswersAfterReturn(db: Db, days: number): Promise<void> {
  await inBatches(db, (trx) => eraseLateAnswers(trx, days, BATCH_SIZE));
  await inBatches(db, (trx) => eraseLateNotes(trx, days, BATCH_SIZE));
  await inBatches(db, (trx) => eraseLateOctoPickups(trx, days, BATCH_SIZE));
}

async function inBatches(db: Db, erase: (trx: Trx) => Promise<number>): Promise<void> {
  for (let batch = 0; batch < BATCHES; batch++) if ((await inTransaction(db, erase)) < BATCH_SIZE) return;
}
