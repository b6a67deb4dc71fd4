import { DEFAULT_COLORS } from './embed-brand';
import { DARK, LIGHT } from './embed-palette';
import { withoutIndentation } from './source-text';

const LIGHT_THEME = `--accent: var(--on-light); ${variables(LIGHT)} --shade: 0 1px 2px rgb(16 24 40 / 5%);
  --lift: 0 8px 24px rgb(16 24 40 / 12%); --plate: none; --inset: 0;`;
const DARK_THEME = `--accent: var(--on-dark); ${variables(DARK)} --shade: none;
  --lift: 0 8px 24px rgb(0 0 0 / 50%); --plate: #fff; --inset: 6px 10px;`;

const PICTURE = encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48" fill="none" stroke="#8a94a6" stroke-width="2" ' +
    'stroke-linejoin="round"><circle cx="33" cy="15" r="4"/><path d="m4 38 13-20 9 13 5-7 13 14z"/></svg>',
);

/** Constant, so that its hash can stand in the policy of every page. */
export const EMBED_STYLE = withoutIndentation(`
:root { ${DEFAULT_COLORS} --radius: 14px; ${LIGHT_THEME}
  --font: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { ${DARK_THEME} } }
:root[data-theme=light] { ${LIGHT_THEME} color-scheme: light; }
:root[data-theme=dark] { ${DARK_THEME} color-scheme: dark; }
* { box-sizing: border-box; }
body { margin: 0; padding: 12px; background: var(--page); color: var(--ink); font: 16px/1.5 var(--font);
  -webkit-text-size-adjust: 100%; }
a { color: inherit; }
p, ul { margin: 0; padding: 0; list-style: none; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
main:focus { outline: 0; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.head { display: flex; flex-wrap: wrap; gap: 12px 20px; align-items: center; margin-bottom: 10px; }
.logo { flex: none; display: block; max-width: min(220px, 100%); height: 44px; object-fit: contain; object-position: 0 50%;
  margin-inline-end: auto; padding: var(--inset); background: var(--plate); border-radius: min(var(--radius), 8px); }
[dir=rtl] .logo { object-position: 100% 50%; }
.search { display: flex; flex: 1 1 260px; max-width: 440px; overflow: hidden; background: var(--card);
  border: 1px solid var(--soft); border-radius: min(var(--radius), 22px); }
.search:has(:focus-visible) { outline: 3px solid var(--accent); outline-offset: 2px; }
.search input[type=search] { flex: 1; min-width: 0; padding: 9px 14px; font: inherit; color: inherit; background: none;
  border: 0; appearance: none; }
.search input::placeholder { color: var(--soft); opacity: 1; }
.search button { display: grid; place-items: center; width: 48px; padding: 0; border: 0; background: var(--brand);
  color: var(--on-brand); cursor: pointer; }
.search input:focus-visible { outline: 0; }
.search button:focus-visible { outline: 2px solid currentcolor; outline-offset: -6px; }
.pills { display: flex; gap: 8px; margin: 0 -12px 8px; padding: 6px 12px 8px; overflow-x: auto; scrollbar-width: none; }
.pills a, .button { display: block; padding: 6px 15px; border: 1px solid var(--line); background: var(--card);
  border-radius: min(99px, calc(var(--radius) * 2)); text-decoration: none; font-size: 15px; white-space: nowrap; }
.pills a:hover, .button:hover { border-color: var(--accent); }
.pills a[aria-current], .button.first { background: var(--brand); border-color: var(--accent); color: var(--on-brand); }

.tours { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(252px, 100%), 1fr)); gap: 20px;
  animation: appear .25s; }
.tour { position: relative; display: flex; flex-direction: column; overflow: hidden; background: var(--card);
  border: 1px solid var(--line); border-radius: var(--radius); box-shadow: var(--shade);
  transition: box-shadow .2s, border-color .2s; }
.tour:has(a):hover { border-color: var(--accent); box-shadow: var(--lift); }
.tour:has(a:focus-visible) { outline: 3px solid var(--accent); outline-offset: 2px; }
.picture { position: relative; overflow: hidden; aspect-ratio: 3 / 2;
  background: var(--blank) url("data:image/svg+xml,${PICTURE}") center / 64px no-repeat; }
.picture img { position: absolute; width: 100%; height: 100%; object-fit: cover; transition: scale .4s; }
.tour:has(a):hover img { scale: 1.03; }
.text { display: flex; flex-direction: column; flex: 1; gap: 4px; padding: 14px 16px 16px; }
.place, .when, .price { color: var(--soft); font-size: 14px; }
h2 { margin: 0; font-size: 18px; line-height: 1.3; }
.tour h2, .summary { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden;
  overflow-wrap: anywhere; }
.tour h2, .summary { text-align: -webkit-match-parent; text-align: match-parent; }
[dir=rtl] .summary:dir(ltr) { margin-right: -14px; padding-right: 14px; }
[dir=ltr] .summary:dir(rtl) { margin-left: -14px; padding-left: 14px; }
.tour h2 { text-wrap: balance; }
.tour h2 a { text-decoration: none; outline: 0; }
.tour h2 a::after { content: ""; position: absolute; inset: 0; }
.summary { -webkit-line-clamp: 2; margin-bottom: 10px; font-size: 15px; line-height: 1.45; }
.facts { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: 8px 12px; margin-top: auto;
  padding-top: 12px; border-top: 1px solid var(--line); }
.when time, .price strong { display: block; color: var(--ink); font-weight: 500; line-height: 25px; }
.price { margin-inline-start: auto; text-align: end; }
.price strong { color: var(--accent); font-size: 20px; font-weight: 700; font-variant-numeric: tabular-nums; }

.pager, .ways { display: flex; flex-wrap: wrap; justify-content: center; gap: 12px; margin-top: 24px; }
.pager .button { padding: 9px 22px; }
.message { max-width: 32em; margin: 0 auto; padding: 48px 0; text-align: center; }
.message svg { color: var(--accent); }
.message h2 { margin: 12px 0 4px; font-size: 20px; text-wrap: balance; }
.message p { text-wrap: balance; overflow-wrap: anywhere; }
.message p:not(.ways) { color: var(--soft); }
.message small { display: block; margin-top: 24px; color: var(--soft); overflow-wrap: anywhere; }

.bone { display: block; height: 15px; margin-block: 5px; border-radius: 5px; background: var(--blank); }
.bone.wide { width: 85%; height: 20px; }
.bone.short { width: 45%; }
.bone, .js .picture:has(img):not(.settled) { animation: breathe 1.4s ease-in-out infinite alternate; }
@keyframes appear { from { opacity: 0; } }
@keyframes breathe { to { opacity: .55; } }
@media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important; } }
@media (forced-colors: active) { .pills a[aria-current] { border: 2px solid Highlight; } }
@media (max-width: 560px) { .search { max-width: none; } .logo { height: 36px; } }
`);

function variables(colors: Record<string, string>): string {
  return Object.entries(colors)
    .map(([name, color]) => `--${name}: ${color};`)
    .join(' ');
}
