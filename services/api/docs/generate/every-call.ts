import type { Answer, OpenApiOperation, Parameter } from '../openapi-document';

type Answers = OpenApiOperation['responses'];

/** The parameters, the errors, and the headers of successes that all calls of a section have. */
export interface EveryCall {
  parameters: Parameter[];
  errors: Answers;
  headers: string[];
}

/** Returns the parts that are the same in all operations, so that the reference lists them once. One operation alone shares no part. */
export function partsOfEveryCall(operations: OpenApiOperation[]): EveryCall {
  const [first, ...others] = operations;
  if (!first || others.length === 0) return { parameters: [], errors: {}, headers: [] };
  const parameters = first.parameters.filter((parameter) =>
    others.every((other) => other.parameters.some((one) => isSame(one, parameter))),
  );
  const errors = errorsOf(first).filter(([status, answer]) =>
    others.every(({ responses }) => isSameError(responses[status], answer)),
  );
  const answers = operations.flatMap(successesOf).map(([, answer]) => answer);
  const headers = headersOf(answers[0]!).filter((name) =>
    answers.every((answer) => headersOf(answer).includes(name)),
  );
  return { parameters, errors: Object.fromEntries(errors), headers };
}

/** Returns the operation without the parts of every call. */
export function withoutPartsOfEveryCall(
  operation: OpenApiOperation,
  { parameters, errors, headers }: EveryCall,
): OpenApiOperation {
  const answers = successesOf(operation).map(([status, answer]) => {
    const own = Object.entries(answer.headers ?? {}).filter(([name]) => !headers.includes(name));
    return [status, { ...answer, headers: Object.fromEntries(own) }];
  });
  const ownErrors = errorsOf(operation).filter(([status]) => !(status in errors));
  return {
    ...operation,
    parameters: operation.parameters.filter((one) => !parameters.some((other) => isSame(one, other))),
    responses: Object.fromEntries([...answers, ...ownErrors]) as Answers,
  };
}

export function successesOf({ responses }: OpenApiOperation): [status: string, answer: Answer][] {
  return Object.entries(responses).filter(([status]) => Number(status) < 400);
}

export function errorsOf({ responses }: Pick<OpenApiOperation, 'responses'>): [string, Answer][] {
  return Object.entries(responses).filter(([status]) => Number(status) >= 400);
}

function headersOf({ headers = {} }: Answer): string[] {
  return Object.keys(headers);
}

/** Compares what the reference shows of an error: its text and its codes. */
function isSameError(one: Answer | undefined, other: Answer): boolean {
  return isSame([one?.description, one?.content], [other.description, other.content]);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
