(() => {
  const script = document.currentScript;
  // The page may have an element with the name `currentScript`: then it is returned instead of this script.
  if (!(script instanceof HTMLScriptElement)) return;
  const NAME = 'tour-list';
  const SETTINGS = ['token', 'lang', 'theme', 'continent', 'q', 'limit'];
  const THEMES = ['light', 'dark'];
  const HEIGHT = 640;
  const HEIGHT_MAX = 20000;
  // The page of the list notifies before its frame has loaded; a browser's error page never does.
  const WAIT = 3000;

  class TourList extends HTMLElement {
    connectedCallback() {
      if (!this.dataset.token) return;
      const page = new URL('tours', this.source || script.src);
      for (const name of SETTINGS) {
        if (this.dataset[name]) page.searchParams.set(name, this.dataset[name]);
      }
      const frame = document.createElement('iframe');
      frame.title = this.dataset.title || 'Tours';
      frame.loading = 'lazy';
      frame.referrerPolicy = 'strict-origin';
      const height = Number(this.dataset.height) || HEIGHT;
      Object.assign(frame.style, { display: 'block', width: '100%', height: height + 'px', border: '0' });
      // With the scheme of its page, the frame is transparent; with another one, browsers give it a background.
      frame.style.colorScheme = THEMES.includes(this.dataset.theme) ? this.dataset.theme : 'light dark';
      frame.src = page.href;
      this.style.display = 'block';
      this.replaceChildren(frame);
      this.leaving = new AbortController();
      const { signal } = this.leaving;
      addEventListener('message', (message) => this.receive(message, page.origin, frame), { signal });
      this.ready = false;
      const check = () => signal.aborted || this.check(frame);
      // A lazy frame first loads an empty document, the only one that this page can read.
      frame.addEventListener('load', () => frame.contentDocument || setTimeout(check, WAIT), { signal });
    }
    // Gives the place back to the page where the browser shows its error page instead of the list.
    check(frame) {
      if (this.ready) return;
      frame.style.height = '0';
      const { origin } = location;
      console.error(
        `The tour list did not load on ${origin}, so it is hidden. A site must be allowed: ` +
          `tourctl origins add <tenant> ${origin}. To see the reason: ` +
          `tourctl widget doctor --token ${this.dataset.token} --origin ${origin}`,
      );
    }
    disconnectedCallback() {
      if (this.leaving) this.leaving.abort();
      this.replaceChildren();
    }
    receive({ origin, source, data }, expected, frame) {
      if (origin !== expected || source !== frame.contentWindow || !data || data.v !== 1) return;
      const { type, height, slug, url } = data;
      if (type === 'svc:ready') {
        this.ready = true;
        if (!frame.clientHeight) frame.style.height = HEIGHT + 'px';
        this.notify('ready', {});
      }
      if (type === 'svc:resize' && Number.isInteger(height) && height > 0 && height <= HEIGHT_MAX) {
        frame.style.height = height + 'px';
        this.notify('resize', { height });
      }
      if (type === 'svc:tour-click' && typeof slug === 'string') this.notify('tour-click', { slug, url });
    }
    // The events do not bubble: the window would take `resize` for a change of its own size.
    notify(type, detail) {
      this.dispatchEvent(new CustomEvent(type, { detail }));
    }
  }

  if (!customElements.get(NAME)) customElements.define(NAME, TourList);
  if (!script.dataset.token) return;
  const next = script.nextElementSibling;
  if (next && next.localName === NAME) return;
  const list = document.createElement(NAME);
  list.source = script.src;
  Object.assign(list.dataset, script.dataset);
  script.after(list);
})();
