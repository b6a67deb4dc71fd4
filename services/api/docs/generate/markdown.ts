import { Marked, type Token, type Tokens, type TokensList } from 'marked';
import { html, type Markup, toHtml, trusted } from '../../../platform/html-template';
import { renderCode, renderTable } from '../pages/page';

/** Shows HTML, pictures, and links that are neither http(s) nor an anchor nor a page of /docs as text, because the policy of the pages forbids them. */
const marked = new Marked({
  tokenizer: { url: () => undefined },
  renderer: {
    html: ({ raw }) => escaped(raw),
    image: ({ raw }) => escaped(raw),
    link: ({ raw, href }) => (/^(https?:|#|\/docs\/)/.test(href) ? false : escaped(raw)),
    code: ({ text, lang }) => toHtml(renderCode(text, lang)),
    heading({ tokens, depth, text }) {
      const tag = `h${Math.min(depth, 4)}`;
      return `<${tag} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</${tag}>`;
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

export function parseMarkdown(source: string): TokensList {
  return marked.lexer(source);
}

/** Calls `visit` with each token, at any depth. It may change the token. */
export function walkTokens(tokens: TokensList, visit: (token: Token) => void): void {
  void marked.walkTokens(tokens, visit);
}

export function renderTokens(tokens: TokensList): Markup {
  return trusted(marked.parser(tokens));
}

/** Returns the anchor of a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

function escaped(text: string): string {
  return toHtml(html`${text}`);
}
