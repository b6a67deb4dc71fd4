import { type AnswerHistory, type Io, StepBack } from './io';

/**
 * Runs a series of questions. At Esc it runs the series again from its start, with the recorded answers but the last one. The
 * series therefore writes nothing, and asks the same questions after the same answers.
 * @param given the answers to the first questions, where they are known already
 */
export async function askWithHistory<T>(
  io: Io,
  given: readonly unknown[],
  series: (io: Io) => Promise<T>,
): Promise<T> {
  const answers = [...given];
  let before: unknown;
  for (;;) {
    let next = 0;
    const history: AnswerHistory = {
      async answer<A>(ask: (before: A | undefined) => Promise<A>): Promise<A> {
        if (next === answers.length) {
          answers.push(await ask(before as A | undefined));
          before = undefined;
        }
        return answers[next++] as A;
      },
    };
    try {
      return await series({ ...io, history });
    } catch (error) {
      if (!(error instanceof StepBack)) throw error;
      // Asks the first question again: it has no earlier one.
      if (answers.length > 0) before = answers.pop();
    }
  }
}
