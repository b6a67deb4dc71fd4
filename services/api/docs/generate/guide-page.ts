import type { Tokens, TokensList } from 'marked';
import { html, type Markup } from '../../../platform/html-template';
import { parseMarkdown, renderTokens, anchorOf, walkTokens } from './markdown';

/** One file of docs/guide. */
export interface GuideFile {
  /** Name without the folder, such as `selling.md`. */
  name: string;
  markdown: string;
}

/** Renders all files as one page, in their order: the title of each file is a section, and its headings are one level lower. */
export function guide(files: GuideFile[]): Markup {
  const titles = files.map(({ markdown }) => headingsOf(parseMarkdown(markdown))[0]!.text);
  const sections = files.map(({ markdown }, index) => {
    const tokens = withoutPictures(parseMarkdown(markdown));
    walkTokens(tokens, (token) => {
      if (token.type === 'heading') token.depth += 1;
      if (token.type === 'link') token.href = anchorOnPage((token as Tokens.Link).href, files);
    });
    return html`${renderTokens(tokens)} ${neighbours(titles, index)}`;
  });
  return html`<h1>Integration guide</h1>
    ${sections}`;
}

/** Leaves out paragraphs of pictures, which are files of the repository. */
function withoutPictures(tokens: TokensList): TokensList {
  const shown = tokens.filter(
    (token) =>
      token.type !== 'paragraph' || !(token as Tokens.Paragraph).tokens.every(({ type }) => type === 'image'),
  );
  return Object.assign(shown, { links: tokens.links });
}

/** Renders links to the previous and the next section. The reference follows the last section. */
function neighbours(titles: string[], index: number): Markup {
  const [previous, next] = [titles[index - 1], titles[index + 1]];
  const address = next === undefined ? '/docs' : `#${anchorOf(next)}`;
  return html`<nav class="turn" aria-label="Before and after ${titles[index]}">
    ${previous !== undefined && html`<a rel="prev" href="#${anchorOf(previous)}"><span>Previous</span>${previous}</a>`}
    <a rel="next" href="${address}"><span>Next</span>${next ?? 'API reference'}</a>
  </nav>`;
}

/** Renders, for each file, a link to its title and links to its headings. */
export function guideContents(files: GuideFile[]): Markup {
  const sections = files.map(({ markdown }) => {
    const [title, ...headings] = headingsOf(parseMarkdown(markdown));
    const links = headings.map(
      ({ text, depth }) => html`<li class="level-${depth}"><a href="#${anchorOf(text)}">${text}</a></li>`,
    );
    return html`<a href="#${anchorOf(title!.text)}"><strong>${title!.text}</strong></a>
      <ul>
        ${links}
      </ul>`;
  });
  return html`${sections}`;
}

/** Returns the anchor on the page of a link to a file of the guide, such as `selling.md#holds`. Returns any other link unchanged. */
function anchorOnPage(href: string, files: GuideFile[]): string {
  const [name, anchor] = href.split('#');
  const file = files.find((one) => one.name === name);
  if (!file) return href;
  return `#${anchor ?? anchorOf(headingsOf(parseMarkdown(file.markdown))[0]!.text)}`;
}

function headingsOf(tokens: TokensList): Tokens.Heading[] {
  return tokens.filter((token) => token.type === 'heading') as Tokens.Heading[];
}
