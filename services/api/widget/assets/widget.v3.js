// The loader of the tour list. docs/guide/widget.md describes it for sites.
(() => {
  const NAME = 'tour-list';
  const VERSION = 'v3';
  const SETTINGS = ['token', 'lang', 'theme', 'continent', 'q', 'limit'];
  const OBSERVED = [...SETTINGS, 'title', 'height'].map((name) => `data-${name}`);
  const THEMES = ['light', 'dark'];
  const HEIGHT = 640;
  const HEIGHT_MAX = 20000;
  // Milliseconds. A page of the list notifies before its frame has loaded; the error page of a browser or a proxy never does.
  const WAIT = 3000;
  const WAIT_FOR_LOAD = 10000;
  const RETRY = 30000;
  const RETRY_MAX = 900000;
  // Begins to load this far outside the visible part of the page.
  const NEAR = '1250px';
  // The list takes the width that its place has. `.room` makes a place wide that is as narrow as its content, such as a float.
  const CSS = `
    :host { display: block; width: 100% }
    :host([hidden]) { display: none }
    .room { display: grid; grid-template-columns: minmax(0, 100vw) }
    iframe { display: none; width: 100%; border: 0 }
    .shown iframe { display: block }
    .shown slot, .bones { display: none }
    .waiting:not(.own) .bones { display: grid; gap: 20px; overflow: hidden; animation: breathe 1.4s ease-in-out infinite alternate;
      grid-template-columns: repeat(auto-fill, minmax(min(252px, 100%), 1fr)) }
    i { height: 340px; border-radius: 14px; background: currentcolor; opacity: .1 }
    @keyframes breathe { to { opacity: .5 } }
    @media (prefers-reduced-motion: reduce) { .bones { animation: none !important } }
    @media print { .bones { display: none !important } iframe { height: var(--print) !important } }`;

  const say = (line) => console.error(`Tour list: ${line}`);
  const create = (name, properties) => Object.assign(document.createElement(name), properties);

  // Reads the prototype, because an element of the page with the name `currentScript` hides the property of the document.
  const { get } = Object.getOwnPropertyDescriptor(Document.prototype, 'currentScript');
  const running = get.call(document);
  // A module, an import and a script in a shadow root have no current script. There the stack has the address of this file.
  const [, traced] = /(https?:\/\/\S+?\/embed\/widget[\w.]*\.js\S*?)(?::\d+)+\)?$/m.exec(new Error().stack) || [];
  const address = (running && running.src) || traced;
  if (!address) return say('The script does not know its address. Load it by <script src="…/embed/widget.js">.');

  class TourList extends HTMLElement {
    static get observedAttributes() {
      return OBSERVED;
    }
    constructor() {
      super();
      const root = this.attachShadow({ mode: 'open' });
      this.stage = create('div', { className: 'waiting' });
      this.bones = create('div', { className: 'bones', ariaHidden: 'true' });
      for (let count = 6; count; count--) this.bones.append(create('i'));
      const children = create('slot');
      // The children of the element stand in its place until the list is ready.
      children.addEventListener('slotchange', () => {
        this.stage.classList.toggle('own', Boolean(this.firstElementChild || this.textContent.trim()));
      });
      this.stage.append(create('div', { className: 'room' }), this.bones, children);
      root.append(this.stage);
      try {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(CSS);
        root.adoptedStyleSheets = [sheet];
      } catch {
        root.append(create('style', { textContent: CSS }));
      }
    }
    // The height before the list says its own: that of the list before, or that of the site.
    get height() {
      return this.latest || (Number(this.dataset.height) || HEIGHT) + 'px';
    }
    connectedCallback() {
      used = true;
      this.plan();
    }
    attributeChangedCallback() {
      this.plan();
    }
    disconnectedCallback() {
      this.end();
    }
    // Joins the changes of one turn, because a framework sets one attribute after the other.
    plan() {
      if (this.planned) return;
      this.planned = true;
      Promise.resolve().then(() => {
        this.planned = false;
        if (this.isConnected) this.follow();
      });
    }
    // Shows what the attributes say now. Keeps the frame if its address stays.
    follow() {
      const page = new URL('tours', this.source || address);
      for (const name of SETTINGS) {
        if (this.dataset[name]) page.searchParams.set(name, this.dataset[name]);
      }
      if (this.page !== page.href) {
        this.end();
        this.page = page.href;
        this.begin(page);
      }
      this.bones.style.height = this.height;
      if (this.frame) this.frame.title = this.dataset.title || 'Tours';
    }
    begin(page) {
      this.ending = new AbortController();
      const { signal } = this.ending;
      this.stage.classList.remove('shown');
      this.stage.classList.add('waiting');
      if (!this.dataset.token) {
        this.watch(() => say('A <tour-list> without data-token shows nothing.'), WAIT);
        return;
      }
      Object.assign(this, { failures: 0, forbidden: new Set() });
      addEventListener('message', (message) => this.receive(message, page.origin), { signal });
      const retry = () => this.failures && this.load(page);
      addEventListener('online', retry, { signal });
      const forbid = ({ blockedURI, effectiveDirective }) => {
        if (blockedURI.startsWith(page.origin)) this.forbidden.add(effectiveDirective);
      };
      addEventListener('securitypolicyviolation', forbid, { signal });
      const arrive = (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        near.disconnect();
        this.load(page);
      };
      const near = new IntersectionObserver(arrive, { rootMargin: NEAR });
      signal.addEventListener('abort', () => near.disconnect());
      near.observe(this);
    }
    end() {
      if (this.ending) this.ending.abort();
      if (this.frame) this.frame.remove();
      clearTimeout(this.timer);
      this.page = this.frame = undefined;
    }
    // A new frame each time: it adds no step to the history of the page, and only messages of the newest frame count.
    load(page) {
      const { theme, title } = this.dataset;
      const old = this.frame;
      const frame = (this.frame = create('iframe', { title: title || 'Tours', referrerPolicy: 'strict-origin' }));
      // With the scheme of its page, the frame is transparent; with another one, browsers give it a background.
      frame.style.colorScheme = THEMES.includes(theme) ? theme : 'light dark';
      this.resize(frame, this.height);
      frame.setAttribute('part', 'frame');
      frame.src = page.href;
      let loaded = 0;
      let failed = false;
      this.readied = 0;
      const fail = () => {
        failed = true;
        this.fail(page);
      };
      // Each page in the frame notifies once. Also a later one can fail, such as a reload while the platform is away.
      frame.addEventListener('load', () => {
        loaded += 1;
        if (frame === this.frame && !failed && this.readied < loaded) this.watch(fail, WAIT);
      });
      if (old) old.remove();
      this.stage.append(frame);
      this.watch(fail, WAIT_FOR_LOAD);
    }
    // On paper the list has another height, which it says in advance: a page cannot ask while the browser prints.
    resize(frame, height, print = height) {
      frame.style.height = height;
      frame.style.setProperty('--print', print);
    }
    watch(then, milliseconds) {
      clearTimeout(this.timer);
      this.timer = setTimeout(then, milliseconds);
    }
    // Gives the place back to the page. The frame goes on loading unseen until the next try.
    fail(page) {
      this.stage.classList.remove('waiting', 'shown');
      const delay = Math.min(RETRY * 2 ** this.failures, RETRY_MAX) * (1 + Math.random() / 2);
      this.watch(() => this.load(page), delay);
      this.failures += 1;
      if (this.failures === 1) reasonOf(page, this.dataset.token, this.forbidden).then(say);
    }
    receive({ origin, source, data }, expected) {
      const { frame } = this;
      if (!frame || origin !== expected || source !== frame.contentWindow || !data || data.v !== 1) return;
      const { type, height, print, slug, url } = data;
      if (type === 'svc:ready') {
        clearTimeout(this.timer);
        this.readied += 1;
        this.failures = 0;
        this.stage.classList.remove('waiting');
        this.stage.classList.add('shown');
        this.notify('ready', {});
      }
      if (type === 'svc:resize' && Number.isInteger(height) && height > 0 && height <= HEIGHT_MAX) {
        this.latest = height + 'px';
        this.resize(frame, this.latest, Number.isInteger(print) && print > 0 ? print + 'px' : this.latest);
        this.notify('resize', { height });
      }
      if (type === 'svc:tour-click' && typeof slug === 'string') this.notify('tour-click', { slug, url });
    }
    // The events do not bubble: the window would take `resize` for a change of its own size.
    notify(type, detail) {
      this.dispatchEvent(new CustomEvent(type, { detail }));
    }
  }

  // Returns why the list did not appear, and the next step. The platform tells listed pages alone why it refuses a token.
  const reasonOf = async (page, token, forbidden) => {
    const platform = page.origin;
    const site = self.origin;
    const around = [...(location.ancestorOrigins || [])].filter((other) => other !== site);
    const sites = [site, ...around].map((origin) => `--origin ${origin}`).join(' ');
    const doctor = `To see the reason: tourctl widget doctor --token ${token} ${sites}`;
    const [directive] = forbidden;
    if (site === 'null')
      return (
        'This page is in a sandbox or a file, so it has the origin null, which is never allowed. ' +
        'Add allow-same-origin to the sandbox, or serve the page over https.'
      );
    if (directive)
      return `The Content-Security-Policy of this page refuses the frame. Add ${platform} to ${directive}.`;
    if (!isToken(token)) return 'data-token is mistyped or incomplete. Paste it again as it was issued.';
    const list = new URL('../api/widget/tours?limit=1', page);
    list.searchParams.set('token', token);
    const { items, detail } = await readJson(list);
    if (detail) return `The platform answers: ${detail} ${doctor}`;
    if (items && around.length)
      return `The platform allows ${site}, but each page around it must be allowed too: ${around.join(', ')}. ${doctor}`;
    if (items)
      return (
        `The platform allows ${site}, but this browser does not show the frame. ` +
        'An extension, or a header of this page such as Cross-Origin-Embedder-Policy, may refuse it.'
      );
    const script = await fetch(address, { cache: 'no-store' }).catch(() => ({}));
    if (script.ok)
      return `The platform refuses this page: it does not allow ${site}, or does not know the token. ${doctor}`;
    // The browser reports a refused fetch a moment after it fails.
    await new Promise((resolve) => setTimeout(resolve, 100));
    return forbidden.size
      ? `The Content-Security-Policy of this page lacks ${platform} in connect-src, so the reason is unknown. ${doctor}`
      : `The platform at ${platform} does not answer. The list tries again by itself.`;
  };

  // Returns an empty object for an answer that is not of the platform, such as that of a proxy.
  const readJson = (address) =>
    fetch(address)
      .then((answer) => answer.json())
      .catch(() => ({}));

  // A token ends with the CRC-32 of the rest, in six digits of base 62.
  const isToken = (token) => {
    if (!/^svc_widget_[0-9A-Za-z]{12}_[0-9A-Za-z]{28}$/.test(token)) return false;
    let crc = -1;
    for (const character of token.slice(0, -6)) {
      crc ^= character.charCodeAt(0);
      for (let bit = 8; bit; bit--) crc = (crc >>> 1) ^ (crc & 1 && 0xedb88320);
    }
    const digit = (character) => '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'.indexOf(character);
    return [...token.slice(-6)].reduce((sum, character) => sum * 62 + digit(character), 0) === ~crc >>> 0;
  };

  // Adds the list of a snippet. The parser puts a script before any content into the head: its list begins the body.
  const place = (script) => {
    const head = script.closest('head');
    const body = head && head.nextElementSibling;
    if (!script.isConnected) return say('The script was removed before it ran. Use <tour-list data-token="…">.');
    if (head && !body) return addEventListener('DOMContentLoaded', () => place(script), { once: true });
    const list = create(NAME, { source: script.src });
    Object.assign(list.dataset, script.dataset);
    let next = head ? body.firstElementChild : script.nextElementSibling;
    const settings = JSON.stringify(list.dataset);
    // A script that runs twice adds no second list. In the body, the list of this script is the next element.
    while (next && next.localName === NAME) {
      if (!head || JSON.stringify(next.dataset) === settings) return;
      next = next.nextElementSibling;
    }
    if (head) body.insertBefore(list, next);
    else script.after(list);
  };

  let used = false;
  const known = customElements.get(NAME);
  if (!known) customElements.define(NAME, Object.assign(TourList, { version: VERSION }));
  else if (known.version !== VERSION) say(`Another script has defined <${NAME}>, so this version (${VERSION}) is not used.`);
  const scripts = running ? [running] : [...document.querySelectorAll('script')].filter(({ src }) => src === address);
  for (const script of scripts) if (script.dataset.token) place(script);
  const remind = () => used || known || say('This page has no list yet: add data-token to the script, or <tour-list data-token="…">.');
  setTimeout(remind, WAIT);
})();
