import { Marked, type Tokens } from 'marked';
import { html, type Markup, toHtml, trusted } from '../../../platform/html-template';
import { renderCode, renderTable } from '../pages/page';

/** Shows HTML, pictures, and links that are not http(s) as text, because the policy of the pages forbids them. */
const marked = new Marked({
  tokenizer: { url: () => undefined },
  renderer: {
    html: ({ raw }) => escaped(raw),
    image: ({ raw }) => escaped(raw),
    link: ({ raw, href }) => (/^https?:/.test(href) ? false : escaped(raw)),
    code: ({ text }) => toHtml(renderCode(text)),
    heading({ tokens, depth, text }) {
      const tag = `h${Math.min(depth, 3)}`;
      return `<${tag} id="${slugOf(text)}">${this.parser.parseInline(tokens)}</${tag}>`;
    },
    table({ header, rows }) {
      const inCell = ({ tokens }: Tokens.TableCell) => trusted(this.parser.parseInline(tokens));
      return toHtml(
        renderTable(
          header.map(inCell),
          rows.map((row) => row.map(inCell)),
        ),
      );
    },
  },
});

export function renderMarkdown(source: string): Markup {
  return trusted(marked.parse(source, { async: false }));
}

/** Renders one line of text: code, bold words and links, without a paragraph around them. */
export function renderLine(text: string): Markup {
  return trusted(marked.parseInline(text, { async: false }));
}

/** Renders links to the headings below the title. */
export function renderContents(source: string): Markup {
  const headings = marked.lexer(source).filter((token) => token.type === 'heading') as Tokens.Heading[];
  const links = headings
    .filter(({ depth }) => depth > 1)
    .map(({ text }) => html`<li><a href="#${slugOf(text)}">${text}</a></li>`);
  return html`<ul>
    ${links}
  </ul>`;
}

function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

function escaped(text: string): string {
  return toHtml(html`${text}`);
}
