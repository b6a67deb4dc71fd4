/** The first column of a file of rejected rows, which an import skips. */
export const ERROR_COLUMN = 'import_error';

/** A place in a file of bookings. Lines count from 1. */
export interface RowPlace {
  file: string;
  line: number;
}

/** An issue of a row. Its message never repeats a value of the file. */
export interface RowIssue extends RowPlace {
  /** The name of the column. Empty: the whole row. */
  field: string;
  message: string;
}

/** A word of the other system that the map lacks. */
export type UnknownKind = 'column' | 'status' | 'tour';

const MESSAGES: Record<UnknownKind, string> = {
  column: 'is no field of a booking: name it in columns of the map, or leave it out there by null',
  status: 'must be confirmed, pending_payment or cancelled, or a status that values.status of the map has',
  tour: 'must be the slug of a tour that the tenant sees, or a name that tours of the map has',
};

/** The most issues that are shown. */
const SHOWN_MAX = 1000;

/** Collects the issues of the rows of an import, and the words that a person may add to its map. */
export class RowIssues {
  private readonly messagesOf = new Map<string, Map<number, string[]>>();
  private readonly shown: RowIssue[] = [];
  private readonly unknownWords = new Map<string, { kind: UnknownKind; word: string }>();
  private readonly warned: RowIssue[] = [];
  private faulty = 0;
  private isFileFaulty = false;

  add(place: RowPlace, field: string, message: string): undefined {
    const { file, line } = place;
    this.note(place, field === '' ? message : `${field} ${message}`);
    if (this.shown.length < SHOWN_MAX) this.shown.push({ file, line, field, message });
  }

  private note({ file, line }: RowPlace, text: string): void {
    const lines = this.messagesOf.get(file) ?? new Map<number, string[]>();
    this.messagesOf.set(file, lines);
    const messages = lines.get(line);
    if (messages) messages.push(text);
    else lines.set(line, [text]);
    if (!messages) this.faulty++;
  }

  /** Makes all lines of a booking faulty if one is, so that --rejects has the whole booking. Returns whether it is faulty. */
  refuseTogether(places: readonly RowPlace[]): boolean {
    const faulty = places.find((place) => this.has(place));
    if (!faulty) return false;
    for (const place of places)
      if (!this.has(place)) this.note(place, `belongs to the booking of line ${faulty.line}`);
    return true;
  }

  /** Adds an issue of a line that was not read. If lines are grouped, its booking is unknown, and --skip-faulty cannot leave it out. */
  addUnread(place: RowPlace, field: string, message: string, { grouped }: { grouped: boolean }): undefined {
    if (grouped) this.isFileFaulty = true;
    this.add(place, field, message);
  }

  /** Adds an issue of a whole file: some of its rows or columns were not read, so --skip-faulty cannot leave out only faulty rows. */
  addToFile(place: RowPlace, field: string, message: string): undefined {
    this.isFileFaulty = true;
    this.add(place, field, message);
  }

  /** Adds what may be wrong with the last line of a file, but does not refuse the import. */
  warn({ file, line }: RowPlace, message: string): void {
    this.warned.push({ file, line, field: '', message });
  }

  /** At most one for each file. */
  get warnings(): readonly RowIssue[] {
    return this.warned;
  }

  /** True: only the faulty rows are missing. */
  get canSkip(): boolean {
    return !this.isFileFaulty;
  }

  addUnknown(kind: UnknownKind, word: string, place: RowPlace, column = word): void {
    this.unknownWords.set(`${kind} ${word}`, { kind, word });
    if (kind === 'column') this.addToFile(place, column, MESSAGES[kind]);
    else this.add(place, column, MESSAGES[kind]);
  }

  /** The words that the map lacks, each once. They may be personal data if a column is shifted, so only a terminal shows them. */
  get unknown(): { kind: UnknownKind; word: string }[] {
    return [...this.unknownWords.values()];
  }

  /** The number of lines with an issue. */
  get count(): number {
    return this.faulty;
  }

  has({ file, line }: RowPlace): boolean {
    return this.messagesOf.get(file)?.has(line) ?? false;
  }

  /** Returns the issues of a line. Empty: none. */
  of({ file, line }: RowPlace): string[] {
    return this.messagesOf.get(file)?.get(line) ?? [];
  }

  /** Returns the first issues, by file and line. */
  listed(files: string[]): RowIssue[] {
    return this.shown.toSorted((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line);
  }
}
