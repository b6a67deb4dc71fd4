import type { Token, Tokens, TokensList } from 'marked';
import { html, type Markup } from '../../../platform/html-template';
import { parseMarkdown, renderTokens, anchorOf, walkTokens } from './markdown';

/** One file of docs/guide. */
export interface GuideFile {
  /** Name without the folder, such as `selling.md`. */
  name: string;
  markdown: string;
}

/** One page of the guide, at `/docs/guide/{name}`. */
export interface GuidePage {
  name: string;
  title: string;
  body: Markup;
  contents: Markup;
}

/** Renders each file as a page, in their order. */
export function guidePages(files: GuideFile[]): GuidePage[] {
  const chapters = files.map(readChapter);
  return chapters.map((chapter, index) => ({
    name: chapter.name,
    title: chapter.title,
    body: html`${renderTokens(chapter.tokens)} ${neighbours(chapters, index)}`,
    contents: contentsOf(chapters, chapter),
  }));
}

/**
 * Renders the first page of the guide: the title of each file, its first paragraph and its sections. A section has the id that it has on its
 * own page, so that the address `/docs/guide#holds`, from the time when the guide was one page, leads to its link.
 */
export function guideIndex(files: GuideFile[]): Markup {
  const used = new Set<string>();
  const newId = (text: string) => {
    const anchor = anchorOf(text);
    if (used.has(anchor)) return undefined;
    used.add(anchor);
    return html`id="${anchor}"`;
  };
  const chapters = files.map(readChapter).map((chapter) => {
    const { title, address, sections, introduction } = chapter;
    const links = sections.map(
      ({ text }) => html`<li ${newId(text)}><a href="${address}#${anchorOf(text)}">${text}</a></li>`,
    );
    return html`<h2 ${newId(title)}><a href="${address}">${title}</a></h2>
      ${introduction}
      <ul>
        ${links}
      </ul>`;
  });
  return html`<h1>Integration guide</h1>
    <div class="find" data-pages="${searchedPages(files)}" data-label="Search the guide"></div>
    ${chapters}`;
}

/** Returns the addresses of all pages of the guide, for the search. */
export function searchedPages(files: GuideFile[]): string {
  return files.map(({ name }) => addressOf(name)).join(' ');
}

interface Chapter {
  name: string;
  title: string;
  address: string;
  /** The first paragraph. */
  introduction: Markup;
  /** The headings below the title. */
  headings: Tokens.Heading[];
  /** The headings of the second level. */
  sections: Tokens.Heading[];
  tokens: TokensList;
}

function readChapter(file: GuideFile, _index: number, files: GuideFile[]): Chapter {
  const tokens = withoutPictures(parseMarkdown(file.markdown));
  walkTokens(tokens, (token) => {
    if (token.type === 'link') token.href = addressOnSite((token as Tokens.Link).href, files);
  });
  const all = tokens.filter((token) => token.type === 'heading') as Tokens.Heading[];
  const [title, ...headings] = all;
  const first = tokens.find(({ type }) => type === 'paragraph')!;
  return {
    name: file.name.replace(/\.md$/, ''),
    title: title!.text,
    address: addressOf(file.name),
    introduction: renderTokens(withLinks([first], tokens)),
    headings,
    sections: headings.filter(({ depth }) => depth === 2),
    tokens,
  };
}

function addressOf(file: string): string {
  return `/docs/guide/${file.replace(/\.md$/, '')}`;
}

/** Leaves out paragraphs of pictures, which are files of the repository. */
function withoutPictures(tokens: TokensList): TokensList {
  const shown = tokens.filter(
    (token) =>
      token.type !== 'paragraph' || !(token as Tokens.Paragraph).tokens.every(({ type }) => type === 'image'),
  );
  return withLinks(shown, tokens);
}

function withLinks(tokens: Token[], { links }: TokensList): TokensList {
  return Object.assign(tokens, { links });
}

/** Renders links to the previous and the next page. The reference follows the last one. */
function neighbours(chapters: Chapter[], index: number): Markup {
  const [previous, next] = [chapters[index - 1], chapters[index + 1]];
  return html`<nav class="turn" aria-label="Previous and next page">
    ${previous && html`<a rel="prev" href="${previous.address}"><span>Previous</span>${previous.title}</a>`}
    <a rel="next" href="${next?.address ?? '/docs'}"><span>Next</span>${next?.title ?? 'API reference'}</a>
  </nav>`;
}

/** Renders a link to each page, and below the present one links to its headings. */
function contentsOf(chapters: Chapter[], present: Chapter): Markup {
  return html`${chapters.map(({ title, address, headings, name }) => {
    if (name !== present.name) return html`<a href="${address}">${title}</a>`;
    const links = headings.map(
      ({ text, depth }) => html`<li class="level-${depth}"><a href="#${anchorOf(text)}">${text}</a></li>`,
    );
    return html`<a href="#${anchorOf(title)}"><strong>${title}</strong></a>
      <ul>
        ${links}
      </ul>`;
  })}`;
}

/** Returns the address of a link to a file of the guide, such as `selling.md#holds`. Returns any other link unchanged. */
function addressOnSite(href: string, files: GuideFile[]): string {
  const [name, anchor] = href.split('#');
  if (!files.some((file) => file.name === name)) return href;
  return anchor === undefined ? addressOf(name!) : `${addressOf(name!)}#${anchor}`;
}
