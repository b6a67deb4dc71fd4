/**
 * /embed/widget.js: `<script src="…/embed/widget.js" data-token="…">` puts the page in a frame where the script stands,
 * and lets it grow. data-lang, data-continent, data-q, data-limit and data-title are heeded too.
 */
export const LOADER_SCRIPT = `(() => {
  const script = document.currentScript;
  if (!script || !script.dataset.token) return;
  const page = new URL('tours', script.src);
  for (const name of ['token', 'lang', 'continent', 'q', 'limit']) {
    if (script.dataset[name]) page.searchParams.set(name, script.dataset[name]);
  }
  const frame = document.createElement('iframe');
  frame.title = script.dataset.title || 'Tours';
  frame.loading = 'lazy';
  frame.referrerPolicy = 'strict-origin';
  Object.assign(frame.style, { display: 'block', width: '100%', height: '640px', border: '0' });
  addEventListener('message', ({ origin, source, data }) => {
    if (origin !== page.origin || source !== frame.contentWindow) return;
    if (!data || data.type !== 'svc:resize' || data.v !== 1) return;
    const { height } = data;
    if (Number.isInteger(height) && height > 0 && height <= 20000) frame.style.height = height + 'px';
  });
  frame.src = page.href;
  script.after(frame);
})();
`;
