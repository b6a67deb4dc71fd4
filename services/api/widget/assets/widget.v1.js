(() => {
  const script = document.currentScript;
  // An element of the page may have that name, and stand for it.
  if (!(script instanceof HTMLScriptElement)) return;
  const NAME = 'tour-list';
  const SETTINGS = ['token', 'lang', 'theme', 'continent', 'q', 'limit'];
  const HEIGHT = 640;
  const HEIGHT_MAX = 20000;

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
      frame.src = page.href;
      this.style.display = 'block';
      this.replaceChildren(frame);
      this.leaving = new AbortController();
      const { signal } = this.leaving;
      addEventListener('message', (message) => this.hear(message, page.origin, frame), { signal });
    }
    disconnectedCallback() {
      if (this.leaving) this.leaving.abort();
      this.replaceChildren();
    }
    hear({ origin, source, data }, expected, frame) {
      if (origin !== expected || source !== frame.contentWindow || !data || data.v !== 1) return;
      const { type, height, slug, url } = data;
      if (type === 'svc:ready') this.tell('ready', {});
      if (type === 'svc:resize' && Number.isInteger(height) && height > 0 && height <= HEIGHT_MAX) {
        frame.style.height = height + 'px';
        this.tell('resize', { height });
      }
      if (type === 'svc:tour-click' && typeof slug === 'string') this.tell('tour-click', { slug, url });
    }
    // They do not bubble: a resize that reached the window would be taken for the window's own.
    tell(type, detail) {
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
