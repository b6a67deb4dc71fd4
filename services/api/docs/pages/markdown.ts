import { html, type Markup } from '../../../platform/html-template';
import { renderTable } from './table';

interface Heading {
  level: number;
  text: string;
  id: string;
}

/**
 * The little Markdown that our own texts use: headings, paragraphs, lists, tables, fenced code; in a line code, bold and
 * links. All else stands as it is written, escaped.
 */
export function renderMarkdown(source: string): Markup {
  return html`${blocksOf(source).map(renderBlock)}`;
}

/** Links to the headings below the title. */
export function renderContents(source: string): Markup {
  const headings = blocksOf(source).map(readHeading);
  const links = headings.map((heading) =>
    heading && heading.level > 1 ? html`<li><a href="#${heading.id}">${heading.text}</a></li>` : html``,
  );
  return html`<ul>
    ${links}
  </ul>`;
}

/** Blocks are parted by empty lines; a fence keeps its own. */
function blocksOf(source: string): string[] {
  const fenced = /^```[^\n]*\n[^]*?\n```$|(?:(?!^```).*\S.*(?:\n|$))+/gm;
  return (source.match(fenced) ?? []).map((block) => block.trimEnd());
}

function readHeading(block: string): Heading | undefined {
  const match = /^(#{1,4}) (.+)$/.exec(block);
  if (!match) return undefined;
  const text = match[2]!;
  const id = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return { level: match[1]!.length, text, id };
}

function renderBlock(block: string): Markup {
  const fence = /^```(\w*)\n([^]*)\n```$/.exec(block);
  if (fence) return renderCode(fence[2]!);
  const heading = readHeading(block);
  if (heading) return renderHeading(heading);
  if (block.startsWith('- ')) return renderList(block);
  if (block.startsWith('|')) return tableOf(block);
  return html`<p>${renderLine(block)}</p>`;
}

/** To scroll sideways by keyboard, the box must take the focus. */
export function renderCode(text: string): Markup {
  return html`<pre tabindex="0"><code>${text}</code></pre>`;
}

function renderHeading({ level, text, id }: Heading): Markup {
  const content = renderLine(text);
  if (level === 1) return html`<h1 id="${id}">${content}</h1>`;
  return level === 2 ? html`<h2 id="${id}">${content}</h2>` : html`<h3 id="${id}">${content}</h3>`;
}

function renderList(block: string): Markup {
  const items = block.slice(2).split(/\n- /);
  return html`<ul>
    ${items.map((item) => html`<li>${renderLine(item)}</li>`)}
  </ul>`;
}

/** The second row holds the dashes. */
function tableOf(block: string): Markup {
  const [head, , ...rows] = block.split('\n').map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => renderLine(cell.trim())),
  );
  return renderTable(head!, rows);
}

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\((https?:[^)\s]+)\)/g;

/** One line of text with its code, bold words and links. */
export function renderLine(text: string): Markup {
  const parts: Markup[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [all, code, bold, label, address] = match;
    parts.push(html`${text.slice(end, match.index)}`);
    if (code) parts.push(html`<code>${code}</code>`);
    else if (bold) parts.push(html`<strong>${renderLine(bold)}</strong>`);
    else parts.push(html`<a href="${address}">${label}</a>`);
    end = match.index + all.length;
  }
  return html`${parts}${text.slice(end)}`;
}
