// The script of the embed page. Without JavaScript, links and the form do the same by loading a page.
// - Notifies the page around the frame, only if the origin of that page is one of the token's: `svc:ready`,
//   `svc:resize` {height}, `svc:tour-click` {slug, url}; each with v: 1.
// - Fetches the target of a link or of the form from the page's own address, and replaces the list by the new one.
// - If the pass in the links has expired, loads the page by the token of the first address, with the same choices.
(() => {
  const root = document.documentElement;
  const token = new URL(location.href).searchParams.get('token');
  const get = (id, tree = document) => tree.getElementById(id);
  root.classList.add('js');
  root.classList.toggle('alone', window.parent === window);

  const listed = (root.dataset.origins || '').split(' ').filter(Boolean);
  const referrer = document.referrer && new URL(document.referrer).origin;
  const above = location.ancestorOrigins ? location.ancestorOrigins[0] : referrer;
  const parents = listed.includes(above) ? [above] : listed;
  const targets = window.parent === window ? [] : parents;
  const tell = (message) => {
    for (const target of targets) window.parent.postMessage({ v: 1, ...message }, target);
  };
  // The style sheet gives each row of two tours this height on paper. The page around the frame cannot measure it there.
  const rowOnPaper = parseInt(getComputedStyle(root).getPropertyValue('--paper-row'), 10);
  let told = '';
  new ResizeObserver(() => {
    const height = Math.ceil(root.getBoundingClientRect().height);
    const rows = Math.ceil(document.querySelectorAll('#results .tour').length / 2);
    const print = rows ? rows * rowOnPaper : height;
    if (told !== `${height} ${print}`) tell({ type: 'svc:resize', height, print });
    told = `${height} ${print}`;
  }).observe(root);
  tell({ type: 'svc:ready' });

  const settle = (picture) => picture.parentElement.classList.add('settled');
  const watchPictures = () => {
    for (const picture of document.querySelectorAll('.picture img')) {
      if (picture.complete) settle(picture);
      picture.onload = () => settle(picture);
      // Removes a picture that failed, so that the placeholder under it is visible.
      picture.onerror = () => picture.remove();
    }
  };
  watchPictures();

  // A sandboxed frame with an opaque origin may not fetch: there the links and the form load pages.
  const form = self.origin === 'null' ? null : document.querySelector('form');
  const results = get('results');
  const status = get('status');
  let current;

  // The same address with other parameters. An empty value removes a parameter.
  const changed = (address, parameters) => {
    const url = new URL(address);
    for (const [name, value] of Object.entries(parameters)) {
      if (value) url.searchParams.set(name, value);
      else url.searchParams.delete(name);
    }
    return url;
  };
  // The same address, with the newest pass and without the token.
  const renewed = (address) => changed(address, { token: '', pass: form.elements.pass.value });
  // The first page of the visitor's choices with this change. The address has all choices, also while the answer to the
  // last one is on the way; the links and the form have only those of the list that is shown.
  const chosen = (choice) => changed(location.href, { ...choice, cursor: '' });
  const fill = (template) => {
    results.replaceChildren(get(template).content.cloneNode(true));
    results.toggleAttribute('data-again', template === 'offline');
    const bone = results.querySelector('[aria-hidden] > .tour');
    for (let more = 5; bone && more; more--) bone.after(bone.cloneNode(true));
    status.textContent = results.textContent.trim() || get(template).dataset.status;
  };
  const put = (page) => {
    const found = get('results', page);
    if (!found) return fill('offline');
    results.replaceChildren(...found.childNodes);
    results.removeAttribute('data-again');
    if (get('kept', page)) {
      for (const id of ['kept', 'pills']) get(id).replaceChildren(...get(id, page).childNodes);
      document.title = page.title;
    }
    get('data').textContent = (get('data', page) || {}).textContent || '{}';
    watchPictures();
    status.textContent = found.dataset.status;
  };
  // Sets the search field before the answer arrives, because the visitor may type the next search meanwhile.
  const show = async (url, then) => {
    form.elements.q.value = url.searchParams.get('q') || '';
    if (current) current.abort();
    const mine = (current = new AbortController());
    const skeleton = setTimeout(fill, 150, 'skeleton');
    const patience = setTimeout(() => mine.abort(), 15000);
    status.textContent = '';
    results.setAttribute('aria-busy', 'true');
    try {
      const answer = await fetch(url, { headers: { accept: 'text/html' }, signal: mine.signal });
      const text = await answer.text();
      if (mine !== current) return;
      if (answer.status === 401 && token) return location.replace(changed(url, { token, pass: '' }));
      clearTimeout(skeleton);
      put(new DOMParser().parseFromString(text, 'text/html'));
    } catch {
      if (mine !== current) return;
      clearTimeout(skeleton);
      fill('offline');
    } finally {
      clearTimeout(skeleton);
      clearTimeout(patience);
    }
    results.removeAttribute('aria-busy');
    if (then && !form.contains(document.activeElement)) then();
  };
  const go = (address, then) => {
    const url = renewed(address);
    if (url.href !== location.href) history.pushState(null, '', url);
    return show(url, then);
  };
  const toResults = () => {
    results.focus({ preventScroll: true });
    document.body.scrollIntoView();
  };
  const toPill = () => (get('pills').querySelector('[aria-current]') || results).focus();

  document.addEventListener('click', (event) => {
    const link = event.target.closest('a');
    if (!link || event.defaultPrevented) return;
    const card = link.closest('[data-slug]');
    if (card) return tell({ type: 'svc:tour-click', slug: card.dataset.slug, url: link.href });
    if (!form || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (link.closest('#pills')) {
      // Shows the clicked continent as chosen before the answer arrives.
      for (const pill of get('pills').querySelectorAll('a')) pill.removeAttribute('aria-current');
      link.setAttribute('aria-current', 'true');
      const continent = new URL(link.href).searchParams.get('continent');
      go(chosen(continent ? { continent } : { continent, q: '' }), toPill);
    } else {
      go(link.closest('[data-again]') ? location.href : link.href, toResults);
    }
  });
  if (!form) return;
  const search = () => go(chosen({ q: form.elements.q.value.trim() }));
  form.noValidate = true;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    search();
  });
  form.elements.q.addEventListener('input', (event) => {
    if (!event.target.value && new URL(location.href).searchParams.has('q')) search();
  });
  addEventListener('popstate', () => show(renewed(location.href)));
})();
