/** A part of a file that should be one JSON value. */
export interface JsonPiece {
  text: string;
  /** The line where it begins. */
  line: number;
}

/** Splits text that arrives in chunks. Returns the pieces that each chunk completes. */
export interface Cutter {
  push(chunk: string): JsonPiece[];
  end(): JsonPiece[];
}

/** Thrown where the text cannot be cut any further. */
export class UncuttableError extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message);
  }
}

/** Bounds the memory after a bracket that is left open. A tour with 5,000 departures has about a million characters. */
const MOST_CHARACTERS = 16_000_000;
const NO_LIST = 'must be an array of tours, or {"tours": […]}';
const OPENING = /^\s*(?:\[|\{\s*"tours"\s*:\s*\[)/;
/** Refuses a longer beginning without an array. */
const LONGEST_OPENING = 4096;

/**
 * Cuts out the elements of an array, or of `{"tours": […]}`, by brackets, commas and quotes, and leaves each element to
 * JSON.parse. Streaming parsers, which make tokens of everything, take ten times as long (docs/adr/0022).
 * @throws UncuttableError, from push and end
 */
export function cutArray(): Cutter {
  let state: 'opening' | 'elements' | 'closed' = 'opening';
  let closing = '';
  let text = '';
  let line = 1;
  let elements: ReturnType<typeof scanElements>;

  const open = (isEnd: boolean) => {
    const opening = OPENING.exec(text)?.[0];
    if (opening === undefined) {
      if (isEnd || text.trimStart().length >= LONGEST_OPENING) refuseOpening(text, isEnd);
      return;
    }
    closing = opening.includes('{') ? '}' : '';
    line += countLines(opening);
    elements = scanElements(line);
    text = text.slice(opening.length);
    state = 'elements';
  };
  const close = () => {
    const rest = text.trim();
    if (rest.startsWith(closing) && rest.slice(closing.length).trim() === '') return;
    const isOtherKey = closing === '}' && rest.startsWith(',');
    throw new UncuttableError(line, isOtherKey ? NO_LIST : 'must be JSON: more follows after its end');
  };

  return {
    push(chunk) {
      text = state === 'elements' ? chunk : text + chunk;
      if (state === 'opening') open(false);
      if (state === 'closed' && text.length > LONGEST_OPENING) close();
      if (state !== 'elements') return [];
      const { pieces, rest } = elements(text);
      if (rest !== undefined) [state, text, line] = ['closed', rest.text, rest.line];
      return pieces;
    },
    end() {
      if (state === 'opening') open(true);
      if (state === 'elements') {
        const { pieces, rest } = elements(text, true);
        [text, line] = [rest!.text, rest!.line];
        close();
        return pieces;
      }
      close();
      return [];
    },
  };
}

/** Cuts out the lines that are not empty. */
export function cutLines(): Cutter {
  let text = '';
  let line = 1;
  const piece = (content: string): JsonPiece[] => (content.trim() === '' ? [] : [{ text: content, line }]);
  return {
    push(chunk) {
      const lines = (text + chunk).split('\n');
      text = lines.pop()!;
      refuseEndless(text.length, line + lines.length);
      return lines.flatMap((content) => {
        const pieces = piece(content);
        line++;
        return pieces;
      });
    },
    end: () => piece(text),
  };
}

interface Scanned {
  pieces: JsonPiece[];
  /** The text after the end of the array, once it was reached. */
  rest?: { text: string; line: number };
}

/** Returns elements as chunks complete them; keeps the unfinished one for the next chunk. */
function scanElements(firstLine: number): (chunk: string, isEnd?: boolean) => Scanned {
  let [kept, line, depth, count] = ['', firstLine, 0, 0];
  let [inString, escaped] = [false, false];
  const passQuoted = (code: number) => {
    if (escaped) escaped = false;
    else if (code === BACKSLASH) escaped = true;
    else if (code === QUOTE) inString = false;
  };

  return (chunk, isEnd = false) => {
    const text = kept + (isEnd ? '' : chunk);
    const pieces: JsonPiece[] = [];
    let start = 0;
    const cut = (end: number, isLast: boolean) => {
      const content = text.slice(start, end);
      const isEmpty = content.trim() === '';
      if (isEmpty && !(isLast && count === 0))
        throw new UncuttableError(line, 'must be JSON: an entry is missing');
      if (!isEmpty) pieces.push({ text: content, line: line + countLines(/^\s*/.exec(content)![0]) });
      count++;
      line += countLines(content);
      start = end + 1;
    };
    for (let at = kept.length; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (inString) passQuoted(code);
      else if (code === QUOTE) inString = true;
      else if (isOpening(code)) depth++;
      else if (isClosing(code) && depth-- === 0) {
        cut(at, true);
        return { pieces, rest: { text: text.slice(start), line } };
      } else if (code === COMMA && depth === 0) cut(at, false);
    }
    if (isEnd)
      throw new UncuttableError(line + countLines(text), 'must be JSON: Unexpected end of JSON input');
    kept = text.slice(start);
    refuseEndless(kept.length, line);
    return { pieces };
  };
}

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44];
const isOpening = (code: number) => code === 123 || code === 91;
const isClosing = (code: number) => code === 125 || code === 93;

function refuseOpening(text: string, isWhole: boolean): never {
  try {
    if (isWhole) JSON.parse(text);
  } catch (error) {
    throw new UncuttableError(countLines(text) + 1, `must be JSON: ${(error as SyntaxError).message}`);
  }
  throw new UncuttableError(1, NO_LIST);
}

function refuseEndless(length: number, line: number): void {
  if (length > MOST_CHARACTERS)
    throw new UncuttableError(line, 'begins a tour that does not end: a bracket or a quote is not closed');
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
