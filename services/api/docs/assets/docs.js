// Fills the folded parts of a page when they are opened, adds a button to each sample that copies it, shows requests in the chosen language,
// and marks the section that is on the screen in the list of sections.
'use strict';
{
  const COPIED_MS = 2000;

  /** The HTML of lists of fields and of samples. The page has each content once, and a part for each copy. */
  const originals = new Map();
  for (const part of document.querySelectorAll('[data-part]:not([data-original])'))
    originals.set(part.dataset.part, part.innerHTML);

  /** Returns the HTML of a folded part. The fields of a copy have the addresses of their own part. */
  const contentOf = ({ dataset: { part, original }, textContent }) =>
    original === undefined ? textContent : originals.get(original).replaceAll(`"${original}.`, `"${part}.`);

  /** Turns the content of a folded part into elements: in a browser with scripts, the content of its noscript element is only text. */
  const fill = (part) => {
    const text = part.querySelector('noscript');
    if (!text) return;
    const template = document.createElement('template');
    template.innerHTML = contentOf(text);
    addLinks(template.content);
    addCopyButtons(template.content);
    text.replaceWith(template.content);
  };

  /** Opens the folded part that contains the element whose id is in the address. */
  const reveal = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const folded = [...document.querySelectorAll('details noscript')];
    const text = folded.find((part) => contentOf(part).includes(` id="${id}"`));
    if (text) fill(text.parentElement);
    const target = document.getElementById(id);
    const closed = target?.closest('details:not([open])');
    if (!closed) return;
    closed.open = true;
    // Makes the element the target of the page (:target): it did not exist when the page was loaded.
    location.replace(location.hash);
    target.scrollIntoView();
  };

  /** Makes the name of each field a link to itself. The page would be a tenth larger with these addresses. */
  const addLinks = (root) => {
    for (const name of root.querySelectorAll('.fields a')) name.href = `#${name.id}`;
  };

  /** Adds the buttons where the browser can copy: in pages from https or from this computer. */
  const addCopyButtons = (root) => {
    if (!navigator.clipboard) return;
    for (const box of root.querySelectorAll('.code')) {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'copy';
      button.textContent = 'Copy';
      button.setAttribute('aria-live', 'polite');
      box.append(button);
    }
  };
  const copy = async (button) => {
    const code = button.parentElement.querySelector('code').textContent;
    const copied = navigator.clipboard.writeText(code).then(
      () => 'Copied',
      () => 'Not copied',
    );
    button.textContent = await copied;
    setTimeout(() => (button.textContent = 'Copy'), COPIED_MS);
  };

  /** Shows each request in one language: adds a button for each language, and opens the part with the request in Node when it is chosen. */
  const LANGUAGES = ['curl', 'Node'];
  const STORED_LANGUAGE = 'request-language';
  const requests = document.querySelectorAll('.request');
  const addLanguages = () => {
    for (const request of requests) {
      const group = document.createElement('div');
      group.className = 'languages';
      group.setAttribute('role', 'group');
      group.setAttribute('aria-label', 'Language of the request');
      for (const language of LANGUAGES) {
        const button = document.createElement('button');
        button.type = 'button';
        button.textContent = language;
        group.append(button);
      }
      request.querySelector('h4').after(group);
    }
    chooseLanguage(storedLanguage());
  };
  const chooseLanguage = (chosen) => {
    for (const request of requests) {
      request.dataset.language = chosen;
      const node = request.querySelector('details');
      if (chosen === 'Node') fill(node);
      node.open = chosen === 'Node';
      for (const button of request.querySelectorAll('.languages button'))
        button.setAttribute('aria-pressed', String(button.textContent === chosen));
    }
  };
  /** Returns the language of an earlier visit. A browser may forbid the storage. */
  const storedLanguage = () => {
    try {
      return localStorage.getItem(STORED_LANGUAGE) === 'Node' ? 'Node' : 'curl';
    } catch {
      return 'curl';
    }
  };
  const storeLanguage = (language) => {
    try {
      localStorage.setItem(STORED_LANGUAGE, language);
    } catch {
      // The choice then lasts until the page is closed.
    }
  };
  /** Chooses the language of a button for all requests, and keeps the button at its place on the screen. */
  const switchLanguage = (button) => {
    const before = button.getBoundingClientRect().top;
    chooseLanguage(button.textContent);
    storeLanguage(button.textContent);
    scrollBy(0, button.getBoundingClientRect().top - before);
  };

  /** Closes the menu of the header at a click outside, or with Escape. */
  const menu = document.querySelector('.menu');
  const closeMenu = () => menu.removeAttribute('open');

  /** Marks the link to the section at the top of the screen: the last heading that is above 15 % of its height. */
  const markPresentSection = (contents) => {
    const links = [...contents.querySelectorAll('a[href^="#"]')];
    const headings = links.map(({ hash }) => document.getElementById(hash.slice(1)));
    const passed = new Set();
    const observer = new IntersectionObserver(
      (changes) => {
        for (const { target, isIntersecting } of changes) {
          if (isIntersecting) passed.add(target);
          else passed.delete(target);
        }
        const last = headings.findLastIndex((heading) => passed.has(heading));
        for (const link of links) link.removeAttribute('aria-current');
        if (last < 0) return;
        links[last].setAttribute('aria-current', 'true');
        showInList(contents, links[last]);
      },
      { rootMargin: '999999px 0px -85% 0px' },
    );
    for (const heading of headings) observer.observe(heading);
  };
  /** Scrolls the list alone, and only if the link is not visible in it. */
  const showInList = (list, link) => {
    const place = link.getBoundingClientRect();
    const frame = list.getBoundingClientRect();
    if (place.top >= frame.top && place.bottom <= frame.bottom) return;
    list.scrollTop += place.top - frame.top - frame.height / 3;
  };

  document.addEventListener('toggle', ({ target }) => fill(target), true);
  document.addEventListener('click', ({ target }) => {
    if (target.classList.contains('copy')) void copy(target);
    if (target.matches('.languages button')) switchLanguage(target);
    if (!menu.contains(target)) closeMenu();
  });
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !menu.open) return;
    closeMenu();
    menu.querySelector('summary').focus();
  });
  addEventListener('hashchange', reveal);
  addLinks(document);
  addCopyButtons(document);
  addLanguages();
  const contents = document.querySelector('.contents');
  if (contents) markPresentSection(contents);
  reveal();
}
