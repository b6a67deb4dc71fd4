/** Constant, so that its hash can stand in the policy of every page. */
export const EMBED_STYLE = `
:root { color-scheme: light dark; --brand: #0f766e; --on-brand: #fff;
  --page: #fff; --card: #fff; --ink: #1a2230; --soft: #5b6576; --line: #e2e6ec; --shade: 0 1px 2px rgb(16 24 40 / 6%); }
@media (prefers-color-scheme: dark) {
  :root { --page: #12161d; --card: #1a202a; --ink: #eef1f6; --soft: #a3adbd; --line: #2b3340; --shade: none; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 16px; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
a { color: inherit; }
:focus-visible { outline: 3px solid var(--brand); outline-offset: 2px; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.bar { display: flex; flex-wrap: wrap; gap: 12px 20px; align-items: center; margin-bottom: 20px; }
.search { display: flex; flex: 1 1 260px; max-width: 420px; }
.search input { flex: 1; min-width: 0; padding: 9px 14px; font: inherit; color: inherit; background: var(--card);
  border: 1px solid var(--line); border-inline-end: 0; border-start-start-radius: 10px; border-end-start-radius: 10px; }
.search input::placeholder { color: var(--soft); opacity: 1; }
.search button { display: grid; place-items: center; width: 46px; border: 0; background: var(--brand); color: var(--on-brand);
  border-start-end-radius: 10px; border-end-end-radius: 10px; cursor: pointer; }
.pills { display: flex; flex-wrap: wrap; gap: 8px; margin: 0; padding: 0; list-style: none; }
.pills a, .pager a { display: block; padding: 6px 14px; border: 1px solid var(--line); border-radius: 99px; background: var(--card);
  text-decoration: none; font-size: 15px; }
.pills a:hover, .pager a:hover { border-color: var(--brand); }
.pills a[aria-current], .pager a.next { background: var(--brand); border-color: var(--brand); color: var(--on-brand); }
.tours { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(250px, 100%), 1fr)); gap: 20px;
  margin: 0; padding: 0; list-style: none; }
.tour { position: relative; display: flex; flex-direction: column; overflow: hidden; background: var(--card);
  border: 1px solid var(--line); border-radius: 14px; box-shadow: var(--shade); }
.tour:has(a):hover { border-color: var(--brand); }
.picture { display: block; width: 100%; height: auto; aspect-ratio: 3 / 2; object-fit: cover;
  background: linear-gradient(135deg, var(--line), var(--page)); }
.text { display: flex; flex-direction: column; flex: 1; gap: 4px; padding: 14px 16px 16px; }
.place, .when { margin: 0; color: var(--soft); font-size: 14px; }
.tour h2 { margin: 0; font-size: 18px; line-height: 1.3; overflow-wrap: anywhere; text-wrap: balance; }
.tour h2 a { text-decoration: none; }
.tour h2 a::after { content: ""; position: absolute; inset: 0; }
.summary { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; margin: 0 0 8px;
  font-size: 15px; overflow-wrap: anywhere; }
.facts { display: flex; justify-content: space-between; align-items: end; gap: 12px; margin-top: auto; padding-top: 12px;
  border-top: 1px solid var(--line); }
.price { margin: 0; color: var(--soft); font-size: 14px; text-align: end; white-space: nowrap; }
.price strong { display: block; color: var(--ink); font-size: 19px; line-height: 1.25; }
.pager { display: flex; justify-content: center; gap: 12px; margin-top: 24px; }
.message { max-width: 34em; margin: 40px auto; text-align: center; }
.message h2 { margin: 0 0 4px; font-size: 20px; }
.message p { margin: 0 0 8px; color: var(--soft); }
.message small { color: var(--soft); overflow-wrap: anywhere; }
`;

const HEX = /^#[0-9a-f]{6}$/;

/** The tenant's colour, and black or white on it: one of the two always has a contrast of 4.5 and more. */
export function brandStyle(color: string | null): string {
  if (!color || !HEX.test(color)) return '';
  const brightness = luminance(color);
  const onBrand = 1.05 / (brightness + 0.05) >= 4.5 ? '#fff' : '#000';
  return `:root { --brand: ${color}; --on-brand: ${onBrand}; }`;
}

/** Relative luminance as WCAG 2 has it. */
function luminance(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((start) => {
    const part = parseInt(color.slice(start, start + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}
