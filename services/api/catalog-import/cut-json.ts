/** A part of a file that should be one JSON value. */
export interface JsonPiece {
  text: string;
  /** The line in which the part begins. */
  line: number;
  /** True for the last line of JSON lines, if no line break ends it. */
  isUnended?: boolean;
  /** The list of the element. Absent: `"tours"`, or an array without a name. */
  list?: OtherList;
}

/** The lists of a file beside its tours. */
export type OtherList = 'resources' | 'pickup_points';

/** Thrown where the text cannot be cut any further. */
export class UncuttableError extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * The most characters of an element. Limits the memory for a file with a bracket that is not closed. A tour with 5,000 departures has a
 * million characters.
 */
const CHARACTERS_MAX = 16_000_000;
const NO_LIST =
  'must be an array of tours, or an object with the lists tours, resources and pickup_points, such as {"tours": […]}';
const OPENING = /^\s*(?:\[|\{\s*"(tours|resources|pickup_points)"\s*:\s*\[)/;
/** The beginning of the next list of an object. */
const NEXT_LIST = /^\s*,\s*"(tours|resources|pickup_points)"\s*:\s*\[/;
/** A file without an array in this many characters is refused. */
const OPENING_CHARACTERS_MAX = 4096;

/**
 * Yields the elements of an array, or of the lists of an object, as each chunk completes them.
 * Finds the ends of the elements by brackets, commas and quotes. JSON.parse later parses each element. Streaming parsers, which make tokens of
 * the whole text, take seven times as long (docs/adr/0013).
 * @throws UncuttableError
 */
export async function* cutArray(chunks: AsyncIterable<string>): AsyncGenerator<JsonPiece[]> {
  const cutter = new ArrayCutter();
  for await (const chunk of chunks) {
    const pieces = cutter.add(chunk);
    if (pieces) yield pieces;
  }
  cutter.end();
}

/** The state of cutArray between two chunks. */
class ArrayCutter {
  /** The text that is not yet cut. */
  private text = '';
  private line = 1;
  private isFirst = true;
  private isClosed = false;
  /** True if the array is in an object. Undefined: the array has not begun. */
  private isInObject: boolean | undefined;
  /** The lists of the object that have begun. */
  private readonly lists: string[] = [];
  private readonly scanned = { at: 0, depth: 0 };

  /** Returns the elements that the chunk completes. Undefined: the array has not begun. @throws UncuttableError */
  add(chunk: string): JsonPiece[] | undefined {
    this.text += chunk;
    if (this.isInObject === undefined) {
      const opening = findOpening(this.text);
      if (opening === undefined) return undefined;
      this.isInObject = opening.includes('{');
      this.begin(opening);
    }
    const pieces = this.cutElements();
    while (this.beginNextList()) pieces.push(...this.cutElements());
    if (this.isClosed) refuseMore(this.text, this.line, this.isInObject, OPENING_CHARACTERS_MAX);
    else refuseEndless(this.text.length, this.line);
    return pieces;
  }

  /** @throws UncuttableError if the text is incomplete, or continues after its end */
  end(): void {
    (this.isClosed ? refuseMore : refuseUnclosed)(this.text, this.line, this.isInObject);
  }

  private begin(opening: string): void {
    this.lists.push(/"(\w+)"/.exec(opening)?.[1] ?? 'tours');
    this.line += countLines(opening);
    this.text = this.text.slice(opening.length);
    [this.isFirst, this.isClosed, this.scanned.at, this.scanned.depth] = [true, false, 0, 0];
  }

  private beginNextList(): boolean {
    const next = this.isClosed && this.isInObject ? findNextList(this.text, this.lists) : undefined;
    if (next !== undefined) this.begin(next);
    return next !== undefined;
  }

  private cutElements(): JsonPiece[] {
    const pieces: JsonPiece[] = [];
    let start = 0;
    while (!this.isClosed && findEnd(this.text, this.scanned)) {
      const content = this.text.slice(start, this.scanned.at);
      this.isClosed = this.text.charCodeAt(this.scanned.at) !== COMMA;
      pieces.push(...this.toPiece(content));
      this.isFirst = false;
      this.line += countLines(content);
      start = ++this.scanned.at;
    }
    this.text = this.text.slice(start);
    this.scanned.at -= start;
    return pieces;
  }

  /** Returns the element with its line; none for an empty list. @throws UncuttableError for a missing element */
  private toPiece(content: string): JsonPiece[] {
    const indent = /^\s*/.exec(content)![0];
    if (indent.length < content.length) {
      const piece = { text: content, line: this.line + countLines(indent) };
      const list = this.lists.at(-1);
      return [list === 'tours' ? piece : { ...piece, list: list as OtherList }];
    }
    if (this.isClosed && this.isFirst) return [];
    throw new UncuttableError(this.line, 'must be JSON: an entry is missing');
  }
}

/** Returns the text up to the first element of the next list of the object; undefined: none follows, or more text is needed. */
function findNextList(text: string, lists: string[]): string | undefined {
  const next = NEXT_LIST.exec(text);
  return next && !lists.includes(next[1]!) ? next[0] : undefined;
}

/** Yields the lines of a file that are not empty. */
export async function* cutLines(chunks: AsyncIterable<string>): AsyncGenerator<JsonPiece[]> {
  let [text, line] = ['', 1];
  const isFilled = (piece: JsonPiece) => piece.text.trim() !== '';
  for await (const chunk of chunks) {
    const lines = (text + chunk).split('\n');
    text = lines.pop()!;
    refuseEndless(text.length, line + lines.length);
    yield lines.map((content) => ({ text: content, line: line++ })).filter(isFilled);
  }
  yield [{ text, line, isUnended: true }].filter(isFilled);
}

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44];

/**
 * Moves `position` to the comma or bracket that ends an element. Returns false if the text ends earlier. The search can then continue at
 * `position` when there is more text; `position` is never within a string.
 */
function findEnd(text: string, position: { at: number; depth: number }): boolean {
  let { at, depth } = position;
  let isEnd = false;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (end < 0) break;
      at = end;
    } else if (code === 123 || code === 91) depth++;
    else if (code === 125 || code === 93) isEnd = depth-- === 0;
    else if (code === COMMA) isEnd = depth === 0;
    if (isEnd) break;
  }
  position.at = at;
  position.depth = depth;
  return isEnd;
}

/** Returns the index of the closing quote, or -1. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((at - before) % 2 === 1) return at;
  }
  return -1;
}

/** Returns the text before the first element; undefined if more text is needed. */
function findOpening(text: string): string | undefined {
  const opening = OPENING.exec(text)?.[0];
  if (opening === undefined && text.trimStart().length >= OPENING_CHARACTERS_MAX)
    throw new UncuttableError(1, NO_LIST);
  return opening;
}

/**
 * @param text the text after the array
 * @param least does not check a text of at most this length, because the next chunk may complete the text
 */
function refuseMore(text: string, line: number, isInObject?: boolean, least = -1): void {
  const rest = text.trim();
  if (text.length <= least || rest === (isInObject ? '}' : '')) return;
  const isOtherKey = isInObject && rest.startsWith(',');
  throw new UncuttableError(line, isOtherKey ? NO_LIST : 'must be JSON: more follows after its end');
}

function refuseUnclosed(text: string, line: number, isInObject?: boolean): never {
  if (isInObject !== undefined)
    throw new UncuttableError(line + countLines(text), 'must be JSON: Unexpected end of JSON input');
  try {
    JSON.parse(text);
  } catch (error) {
    throw new UncuttableError(countLines(text) + 1, `must be JSON: ${(error as SyntaxError).message}`);
  }
  throw new UncuttableError(1, NO_LIST);
}

function refuseEndless(length: number, line: number): void {
  if (length > CHARACTERS_MAX)
    throw new UncuttableError(line, 'begins a tour that does not end: a bracket or a quote is not closed');
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** An issue of a JSON entry. `line` counts from the first line of the entry. */
export interface JsonIssue {
  line: number;
  field?: string;
  message: string;
}

/** Matches the brackets of objects, and the strings, with the colon of a key. */
const JSON_TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}]/g;

/** Finds a key that an object of valid JSON has twice. JSON.parse would keep the last value without a word. */
export function findRepeatedKey(text: string): JsonIssue | undefined {
  const objects: Set<string>[] = [];
  for (const { 0: token, 1: colon, index } of text.matchAll(JSON_TOKEN)) {
    if (token === '{') objects.push(new Set());
    else if (token === '}') objects.pop();
    else if (colon !== undefined) {
      const key = JSON.parse(token.slice(0, -colon.length)) as string;
      if (objects.at(-1)!.has(key))
        return {
          line: text.slice(0, index).split('\n').length,
          field: key,
          message: 'is given twice in one object',
        };
      objects.at(-1)!.add(key);
    }
  }
  return undefined;
}
