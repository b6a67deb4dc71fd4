/** Of every page of the documentation; the pages' policy names it by its hash. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --text: #1c2430; --soft: #5a6675; --ground: #fff; --raised: #f5f7f9; --line: #dfe4ea;
  --link: #0b5cad; --good: #1a7f4b; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --text: #e6eaf0; --soft: #a0abb9; --ground: #12161c; --raised: #1b212a;
  --line: #323b47; --link: #7cb7ff; --good: #5fd39a; --bad: #ff8a80; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.6 system-ui, sans-serif; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, pre:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; }
header { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; padding: .75rem 1.5rem;
  background: var(--ground); border-bottom: 1px solid var(--line); }
header nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
[aria-current] { color: inherit; font-weight: 600; text-decoration: none; }
.columns { display: flex; max-width: 80rem; margin: 0 auto; }
.contents { flex: 0 0 16rem; align-self: flex-start; position: sticky; top: 3.5rem; max-height: calc(100vh - 3.5rem);
  overflow-y: auto; padding: 1.5rem; font-size: .9rem; }
.contents ul { list-style: none; margin: 0 0 1rem; padding: 0; }
.contents a { display: block; padding: .1rem 0; text-decoration: none; }
main { flex: 1; min-width: 0; max-width: 60rem; padding: 1rem 1.5rem 6rem; overflow-wrap: break-word; }
h1 { font-size: 1.9rem; line-height: 1.25; }
h2 { margin-top: 3rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
h3 { margin-top: 2rem; }
h4 { margin: 1.5rem 0 .25rem; font-size: .95rem; }
article { margin-top: 2.5rem; }
code, pre { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .875em; }
code { background: var(--raised); padding: .1em .3em; border-radius: .25rem; }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; overflow-x: auto;
  line-height: 1.5; overflow-wrap: normal; }
pre code { background: none; padding: 0; font-size: inherit; }
.call { font-weight: 600; }
.call b { color: var(--good); }
.soft { color: var(--soft); }
.table { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .925rem; }
th, td { padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--soft); font-weight: 600; }
td:first-child { white-space: nowrap; }
.mark { color: var(--bad); font-size: .8rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem; }
dt { color: var(--soft); }
dd { margin: 0; }
summary { cursor: pointer; margin: .75rem 0; }
@media (max-width: 50rem) { .columns { display: block; } .contents { position: static; max-height: none; padding-bottom: 0; }
  header { position: static; } }
@media print { header, .contents { display: none; } }
`;
