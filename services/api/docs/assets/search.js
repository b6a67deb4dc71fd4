// Adds a search box above the contents of a page, or to the page of a missing address. The search finds headings, fields and their meaning.
// It reads the page itself, or the pages that `data-pages` names. No request leaves this server.
'use strict';
{
  const LIMIT = 40;
  const place = document.querySelector('.contents, .find');
  const fold = (text) => text.toLowerCase().replace(/\s+/g, ' ').trim();

  /** Names the part of a call to which a field belongs: the middle of an id such as `createBooking.body.name`. */
  const partOf = (id) => {
    const [, part, rest] = id.split('.');
    if (rest === undefined) return 'parameter';
    return /^\d+$/.test(part) ? `answer ${part}` : part;
  };

  /** Returns the HTML of the pages to search, by address. The address of the page itself is empty. */
  const readPages = async () => {
    if (!place.dataset.pages) return [['', document.querySelector('main').outerHTML]];
    return Promise.all(place.dataset.pages.split(' ').map(readPage));
  };
  const readPage = async (address) => {
    const response = await fetch(address);
    if (!response.ok) throw new Error(address);
    return [address, await response.text()];
  };
  /** Returns an entry for each element with an id, in the order of the pages. Parses the HTML, because DOMParser reads folded parts. */
  const listEntries = async () =>
    (await readPages()).flatMap(([address, text]) => {
      const page = new DOMParser().parseFromString(text, 'text/html');
      return [...page.querySelectorAll('main [id]')].map((element) => toEntry(element, address));
    });
  const toEntry = (element, address) => {
    const field = element.closest('.fields');
    const article = element.closest('article');
    const name = element.textContent.trim();
    const more = field ? textOf(element.closest('dt')) : (article?.querySelector('.call')?.textContent ?? '');
    const title = fold(name);
    return {
      name,
      href: `${address}#${element.id}`,
      title,
      text: fold(`${title} ${more} ${element.id}`),
      section: field ? [article?.querySelector('h3')?.textContent, partOf(element.id)].join(' · ') : '',
    };
  };
  const textOf = (term) => `${term.textContent} ${term.nextElementSibling.textContent}`;
  let entries;

  const box = document.createElement('input');
  const status = document.createElement('p');
  const results = document.createElement('ul');

  /** Ranks a result: headings before fields, and titles that begin with the words before titles that contain them. */
  const rank = ({ title, section }, words) => {
    const first = section ? 3 : 0;
    if (title.startsWith(words)) return first;
    return title.includes(words) ? first + 1 : first + 2;
  };

  const show = async () => {
    entries ??= listEntries();
    const all = await entries.catch(() => undefined);
    if (!all) {
      entries = undefined;
      status.textContent = 'The pages could not be loaded. Type again to retry.';
      return;
    }
    const words = fold(box.value);
    const parts = words.split(' ');
    const found = words
      ? all
          .filter(({ text }) => parts.every((part) => text.includes(part)))
          .sort((a, b) => rank(a, words) - rank(b, words))
      : [];
    place.classList.toggle('searching', words !== '');
    status.textContent = words ? `${found.length} found` : '';
    results.replaceChildren(...found.slice(0, LIMIT).map(toResult));
  };
  const toResult = ({ name, href, section }) => {
    const link = document.createElement('a');
    link.href = href;
    link.textContent = name;
    if (section) {
      const where = document.createElement('span');
      where.className = 'soft';
      where.textContent = section;
      link.append(' ', where);
    }
    const item = document.createElement('li');
    item.append(link);
    return item;
  };

  const addBox = () => {
    box.type = 'search';
    // A phone has no key to press.
    box.placeholder = matchMedia('(hover: hover) and (min-width: 50rem)').matches
      ? 'Search: press /'
      : 'Search';
    box.setAttribute('aria-label', place.dataset.label ?? 'Search this page');
    status.className = 'soft';
    status.setAttribute('role', 'status');
    results.className = 'results';
    place.prepend(box, status, results);
    box.addEventListener('input', show);
    box.addEventListener('keydown', ({ key }) => {
      if (key === 'Enter') results.querySelector('a')?.click();
      if (key !== 'Escape') return;
      box.value = '';
      void show();
    });
    document.addEventListener('keydown', (event) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target === box) return;
      event.preventDefault();
      box.focus();
    });
  };
  if (place) addBox();
}
