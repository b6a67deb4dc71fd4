import { paint, PIPE, type Screen, type Tone } from './screen';
import { cutText, oneLine, padText, textWidth, wrapText } from './text';

/** Declares a column. A column that is declared by its heading alone is never cut: ids, statuses, dates and money. */
export type Column = string | ColumnForm;

interface ColumnForm {
  heading: string;
  /** Smallest width in cells on a narrow screen. Undefined: the column is never cut. */
  least?: number;
  /** Aligns numbers to the right. */
  right?: boolean;
  tones?: Partial<Record<string, Tone>>;
  /**
   * True: a narrow screen drops this column before the columns without `aside`. If several columns have `aside`, the last one is dropped
   * first. If the rows are shown as blocks of lines, each block has the value of this column.
   */
  aside?: true;
}

type Cell = string | number | null;

const GAP = '  ';
const NOTHING = '-';
/** Text beside a label stays readable down to this width in cells. */
const NARROWEST = 20;

/**
 * Draws columns under their headings in the width of the screen. If the table is too wide, cuts the widest of the columns that may be cut.
 * If that is not enough, drops columns. If that is not enough on a screen below 60 cells, draws each row as a block of lines. In a pipe,
 * cuts nothing.
 * @param empty the text if there are no rows
 */
export function table(columns: Column[], rows: Cell[][], empty: string, screen: Screen = PIPE): string {
  if (rows.length === 0) return empty;
  const forms = columns.map((column) => (typeof column === 'string' ? { heading: column } : column));
  const cells = rows.map((row) => row.map((cell) => (cell === null ? NOTHING : oneLine(String(cell)))));
  const natural = forms.map(({ heading }, i) =>
    cells.reduce((widest, row) => Math.max(widest, textWidth(row[i] ?? '')), textWidth(heading)),
  );
  const shown = chooseColumns(forms, cells, natural, screen.columns ?? Infinity);
  return shown ? grid(forms, cells, shown, screen) : blocks(forms, cells, screen);
}

/** The fields of an item that a cell can show. */
type ShownField<T> = { [Field in keyof T]: T[Field] extends Cell ? Field : never }[keyof T] & string;

/** Declares a column of items. Without `cell`, the column shows the field that its heading names. */
export type ItemColumn<T> =
  | ShownField<T>
  | (ColumnForm & { heading: ShownField<T>; cell?: undefined })
  | (ColumnForm & { cell: (item: T) => Cell });

/** Returns a function that draws one row for each item. */
export function tableOf<T>(columns: ItemColumn<T>[], empty: string) {
  const cellOf = (column: ItemColumn<T>, item: T): Cell => {
    if (typeof column === 'string') return item[column] as Cell;
    return column.cell ? column.cell(item) : (item[column.heading] as Cell);
  };
  return (items: T[], screen?: Screen): string => {
    const rows = items.map((item) => columns.map((column) => cellOf(column, item)));
    return table(columns, rows, empty, screen);
  };
}

/** Maps the number of a column to its width. */
type Widths = Map<number, number>;

/** Screens of this width or more always show a table, because rows are easier to compare than blocks. */
const NARROWEST_TABLE = 60;

/**
 * Drops empty columns first, then `aside` columns, then the other columns from the last one on. On a screen below NARROWEST_TABLE cells,
 * keeps the other columns and returns undefined if they are too wide.
 */
function chooseColumns(
  forms: ColumnForm[],
  cells: string[][],
  natural: number[],
  available: number,
): Widths | undefined {
  const all = [...forms.keys()];
  const empty = all.filter((i) => cells.every((row) => row[i] === NOTHING));
  const asides = all.filter((i) => forms[i]!.aside && !empty.includes(i)).reverse();
  const secondary = [[], empty, ...asides.map((_, i) => [...empty, ...asides.slice(0, i + 1)])];
  const dropped = new Set([...empty, ...asides]);
  const main = all.filter((i) => !dropped.has(i));
  const others = main.slice(1).reverse();
  const further = others.map((_, i) => [...dropped, ...others.slice(0, i + 1)]);
  const isTable = available >= NARROWEST_TABLE;
  for (const without of isTable ? [...secondary, ...further] : secondary) {
    const kept = all.filter((i) => !without.includes(i));
    const widths = fitWidths(
      kept.map((i) => natural[i]!),
      kept.map((i) => forms[i]!),
      available,
    );
    if (widths) return new Map(kept.map((column, i) => [column, widths[i]!]));
  }
  const [first = 0] = main;
  return isTable ? new Map([[first, available]]) : undefined;
}

function grid(forms: ColumnForm[], cells: string[][], shown: Widths, screen: Screen): string {
  const line = (row: string[], isHeading: boolean) =>
    [...shown]
      .map(([i, width]) => {
        const { right, tones } = forms[i]!;
        const cell = row[i] ?? '';
        const text = padText(cutText(cell, width), width, right);
        return isHeading || !tones ? text : text.replace(cell, () => paint(cell, tones[cell], screen));
      })
      .join(GAP)
      .trimEnd();
  const headings = forms.map(({ heading }) => heading.toUpperCase());
  return [line(headings, true), ...cells.map((row) => line(row, false))].join('\n');
}

/** Reduces the widths of columns until the table fits. Returns undefined if even the minimum widths are too wide. */
function fitWidths(natural: number[], forms: ColumnForm[], available: number): number[] | undefined {
  const widths = [...natural];
  const gaps = GAP.length * (widths.length - 1);
  for (let over = sum(widths) + gaps - available; over > 0; over--) {
    const widest = forms.reduce<number | undefined>((best, { heading, least }, i) => {
      const smallest = least === undefined ? Infinity : Math.max(least, textWidth(heading));
      return widths[i]! > smallest && (best === undefined || widths[i]! > widths[best]!) ? i : best;
    }, undefined);
    if (widest === undefined) return undefined;
    widths[widest]!--;
  }
  return widths;
}

function blocks(forms: ColumnForm[], cells: string[][], screen: Screen): string {
  const width = Math.max(...forms.map(({ heading }) => textWidth(heading)));
  return cells
    .map((row) =>
      row
        .flatMap((cell, i) => {
          const { heading, tones } = forms[i]!;
          const label = padText(heading, width);
          return cell === NOTHING ? [] : beside(label, cell, { width, tone: tones?.[cell], screen });
        })
        .join('\n'),
    )
    .join('\n\n');
}

/** Lists names and values, with the values aligned. */
export function properties(document: Record<string, unknown>, screen: Screen = PIPE): string {
  const width = Math.max(...Object.keys(document).map((key) => key.length));
  return Object.entries(document)
    .map(([key, value]) => beside(padText(key, width), describe(value), { width, screen }))
    .join('\n');
}

interface BesideOptions {
  /** The width of the label in cells. */
  width: number;
  tone?: Tone;
  /** The commands to run next, each on a line below the text. */
  commands?: string[];
  screen: Screen;
}

/** Draws a text beside its label, wrapped at the width of the screen. @param label text of exactly `width` cells, which may be coloured */
export function beside(
  label: string,
  text: string,
  { width, tone, commands = [], screen }: BesideOptions,
): string {
  const available = Math.max(NARROWEST, (screen.columns ?? Infinity) - width - GAP.length);
  const lines = text.split('\n').flatMap((line) => wrapText(oneLine(line), available));
  const indent = ' '.repeat(width) + GAP;
  const [first, ...rest] = lines.map((line) => paint(line, tone, screen));
  return [
    label + GAP + first,
    ...rest.map((line) => (line ? indent + line : '')),
    ...commands.map((command) => `${indent}$ ${command}`),
  ].join('\n');
}

/** Wraps the lines of a text at the width of the screen. The wrapped parts of a line are indented like its beginning. */
export function paragraph(text: string, { columns = Infinity }: Screen = PIPE): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const indent = /^ */.exec(line)![0];
      const available = Math.max(NARROWEST, columns - indent.length);
      return wrapText(line.trimStart(), available).map((part) => indent + part);
    })
    .join('\n');
}

/** Joins titled parts; drops empty ones. */
export function sections(parts: [title: string, text: string | undefined][]): string {
  return parts.flatMap(([title, text]) => (text ? [title ? `${title}\n${text}` : text] : [])).join('\n\n');
}

/** Formats a value for a person. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return NOTHING;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.length > 0 ? value.map(describe).join(', ') : NOTHING;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Formats a time for a table, in UTC to the second. */
export function shortTime(time: Date | string | null): string | null {
  const text = time instanceof Date ? time.toISOString() : time;
  return text === null ? null : text.slice(0, 19).replace('T', ' ');
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
