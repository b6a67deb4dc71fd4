// Fills the folded parts of a page when they are opened, and adds a search box above its contents: it finds headings, fields and their
// meaning, without a request.
'use strict';
{
  const LIMIT = 40;
  const contents = document.querySelector('.contents');
  const fold = (text) => text.toLowerCase().replace(/\s+/g, ' ').trim();

  /** Names the part of a call that has the field: the middle of `createBooking.body.name`. */
  const partOf = (id) => {
    const [, part, rest] = id.split('.');
    if (rest === undefined) return 'parameter';
    return /^\d+$/.test(part) ? `answer ${part}` : part;
  };

  /** Turns the content of a folded part into elements. In a browser with scripts, the content of a noscript element is only text. */
  const fill = (part) => {
    const text = part.querySelector('noscript');
    if (!text) return;
    const template = document.createElement('template');
    template.innerHTML = text.textContent;
    text.replaceWith(template.content);
  };
  document.addEventListener('toggle', ({ target }) => fill(target), true);

  /** Returns one entry for each element with an id, in the order of the page. Parses the page again: DOMParser also reads folded parts. */
  const listEntries = () => {
    const page = new DOMParser().parseFromString(document.querySelector('main').outerHTML, 'text/html');
    return [...page.querySelectorAll('main [id]')].map(toEntry);
  };
  const toEntry = (element) => {
    const field = element.classList.contains('field');
    const article = element.closest('article');
    const title = fold(element.textContent);
    const more = field
      ? element.closest('tr').textContent
      : (article?.querySelector('.call')?.textContent ?? '');
    return {
      element,
      title,
      text: fold(`${title} ${more} ${element.id}`),
      section: field ? [article?.querySelector('h3')?.textContent, partOf(element.id)].join(' · ') : '',
    };
  };
  let entries;

  const box = document.createElement('input');
  box.type = 'search';
  box.placeholder = 'Search: press /';
  box.setAttribute('aria-label', 'Search this page');
  const status = document.createElement('p');
  status.className = 'soft';
  status.setAttribute('role', 'status');
  const results = document.createElement('ul');
  results.className = 'results';
  contents.prepend(box, status, results);

  /** Lists headings before fields, and titles that begin with the words before those that contain them. */
  const rank = ({ title, section }, words) => {
    const first = section ? 3 : 0;
    if (title.startsWith(words)) return first;
    return title.includes(words) ? first + 1 : first + 2;
  };

  const show = () => {
    entries ??= listEntries();
    const words = fold(box.value);
    const parts = words.split(' ');
    const found = words
      ? entries
          .filter(({ text }) => parts.every((part) => text.includes(part)))
          .sort((a, b) => rank(a, words) - rank(b, words))
      : [];
    contents.classList.toggle('searching', words !== '');
    status.textContent = words ? `${found.length} found` : '';
    results.replaceChildren(
      ...found.slice(0, LIMIT).map(({ element, section }) => {
        const link = document.createElement('a');
        link.href = `#${element.id}`;
        link.textContent = element.textContent.trim();
        const item = document.createElement('li');
        item.append(link);
        if (section) {
          const where = document.createElement('span');
          where.className = 'soft';
          where.textContent = ` ${section}`;
          link.append(where);
        }
        return item;
      }),
    );
  };

  /** Opens the closed part that has the element of the address. */
  const reveal = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const folded = [...document.querySelectorAll('details noscript')];
    const text = folded.find(({ textContent }) => textContent.includes(` id="${id}"`));
    if (text) fill(text.parentElement);
    const target = document.getElementById(id);
    const closed = target?.closest('details:not([open])');
    if (!closed) return;
    closed.open = true;
    // Makes the new element the target of the page: it did not exist when the page was loaded.
    location.replace(location.hash);
    target.scrollIntoView();
  };

  box.addEventListener('input', show);
  box.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') results.querySelector('a')?.click();
    if (key !== 'Escape') return;
    box.value = '';
    show();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target === box) return;
    event.preventDefault();
    box.focus();
  });
  addEventListener('hashchange', reveal);
  reveal();
}
