/** Tells the page around the frame how high this one is: only to the token's own origins. Constant, for its hash. */
export const EMBED_SCRIPT = `
(() => {
  const listed = (document.documentElement.dataset.origins || '').split(' ').filter(Boolean);
  if (window.parent === window || listed.length === 0) return;
  const referrer = document.referrer && new URL(document.referrer).origin;
  const above = location.ancestorOrigins ? location.ancestorOrigins[0] : referrer;
  const targets = listed.includes(above) ? [above] : listed;
  let told = 0;
  new ResizeObserver(() => {
    const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
    if (height === told) return;
    told = height;
    for (const target of targets) window.parent.postMessage({ type: 'svc:resize', v: 1, height }, target);
  }).observe(document.documentElement);
})();
`;
