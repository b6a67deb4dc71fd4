import { textWidth } from '../../../cli/terminal/text';

const CELL = { width: 8.4, height: 19 };
const MARGIN = 16;
const FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
/** Colours on a dark background, each with a contrast of at least 4.5 : 1. */
const COLORS = { ground: '#0d1117', text: '#e6edf3', typed: '#79c0ff' };
const TONES: Record<string, string> = { 32: '#56d364', 33: '#e3b341', 31: '#ff7b72', 2: '#9198a1' };

/** Text of one colour that starts at a cell. */
interface Run {
  text: string;
  color: string;
  at: number;
  width: number;
}

/** Draws a screen with its colours as an SVG that is the same on every machine. */
export function drawScreen(screen: string, columns: number): string {
  const lines = screen.split('\n').flatMap((line) => foldRuns(readRuns(line), columns));
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN);
  const height = Math.ceil(lines.length * CELL.height + 2 * MARGIN);
  const rows = lines.map((runs, row) => runs.map((run) => drawRun(run, row)).join(''));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="${FONT}" font-size="14">
<rect width="100%" height="100%" rx="8" fill="${COLORS.ground}"/>
${rows.filter(Boolean).join('\n')}
</svg>
`;
}

function readRuns(line: string): Run[] {
  let color = line.startsWith('$ ') ? COLORS.typed : COLORS.text;
  let at = 0;
  return line.split(/(\x1b\[\d+m)/).flatMap((part) => {
    const [, code] = /^\x1b\[(\d+)m$/.exec(part) ?? [];
    if (code !== undefined) {
      color = TONES[code] ?? COLORS.text;
      return [];
    }
    // Does not draw gaps, and draws wide letters as separate runs, so that a font with wider letters moves nothing else.
    return [...part.matchAll(/(?:(?! {2})[\x20-\x7e…█-▏])+|[^\x20-\x7e…█-▏]+|\s+/g)].flatMap(([text]) => {
      const run = { text, color, at, width: textWidth(text) };
      at += run.width;
      return text.trim() === '' ? [] : run;
    });
  });
}

/** Breaks lines like a terminal of this width. */
function foldRuns(runs: Run[], columns: number): Run[][] {
  const lines: Run[][] = [[]];
  for (const run of runs) {
    let rest = run;
    for (;;) {
      const row = Math.floor(rest.at / columns);
      const at = rest.at % columns;
      const room = columns - at;
      while (lines.length <= row) lines.push([]);
      if (rest.width <= room) {
        lines[row]!.push({ ...rest, at });
        break;
      }
      lines[row]!.push({ ...rest, at, text: rest.text.slice(0, room), width: room });
      rest = { ...rest, text: rest.text.slice(room), at: rest.at + room, width: rest.width - room };
    }
  }
  return lines;
}

function drawRun({ text, color, at, width }: Run, row: number): string {
  const x = (MARGIN + at * CELL.width).toFixed(1);
  const y = MARGIN + row * CELL.height + 14;
  const length = (width * CELL.width).toFixed(1);
  const escaped = text.replace(/[&<>]/g, (letter) => `&#${letter.charCodeAt(0)};`);
  return `<text x="${x}" y="${y}" fill="${color}" textLength="${length}" lengthAdjust="spacingAndGlyphs" xml:space="preserve">${escaped}</text>`;
}
