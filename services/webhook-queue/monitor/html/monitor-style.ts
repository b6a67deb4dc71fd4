/** Of every page of the monitor; the colours and letters are those of the API's documentation. Nothing is loaded from elsewhere. */
export const MONITOR_STYLE = `
:root { color-scheme: light dark; --text: #1c2430; --soft: #566171; --page: #f5f7f9; --card: #fff; --line: #dfe4ea; --edge: #87919f;
  --link: #0b5cad; --good: #1a7f4b; --bad: #b3261e; --warn: #b26a00; --busy: #0b5cad; --idle: #7b8694;
  --typical: #0b5cad; --slow: #b26a00; --on: #fff; --shade: 0 1px 2px rgb(16 24 40 / 6%); }
@media (prefers-color-scheme: dark) { :root { --text: #e6eaf0; --soft: #a0abb9; --page: #12161c; --card: #1b212a; --line: #323b47;
  --edge: #76818f; --link: #7cb7ff; --good: #5fd39a; --bad: #ff8a80; --warn: #f0b64d; --busy: #7cb7ff; --idle: #8b96a5;
  --typical: #7cb7ff; --slow: #f0b64d; --on: #10151c; --shade: none; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 4.5rem; }
body { margin: 0; background: var(--page); color: var(--text); font: .9375rem/1.55 system-ui, sans-serif; }
a { color: var(--link); text-underline-offset: .15em; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: .25rem; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; z-index: 2; padding: .25rem .5rem; background: var(--card); }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

header { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.5rem;
  padding: .6rem max(1.25rem, calc(50vw - 43.75rem)); background: var(--card); border-bottom: 1px solid var(--line); }
header p, header form { margin: 0; }
.brand { color: var(--soft); white-space: nowrap; }
.brand strong { color: var(--text); }
header nav { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; flex: 1; }
header nav a { padding: .2rem 0; color: var(--soft); text-decoration: none; border-bottom: 2px solid transparent; }
header nav a:hover { color: var(--text); }
header nav a[aria-current] { color: var(--text); font-weight: 600; border-color: var(--link); }
.who { display: flex; align-items: center; gap: .75rem; color: var(--soft); font-size: .875rem; }
.liveness { color: var(--soft); font-size: .875rem; white-space: nowrap; }
.liveness::before { content: ""; display: inline-block; width: .55em; height: .55em; margin-right: .45em; border-radius: 50%;
  background: var(--idle); }
.liveness[data-state=live]::before { background: var(--good); animation: pulse 2s ease-in-out infinite; }
.liveness[data-state=lost]::before { background: var(--bad); border-radius: 0; }
@keyframes pulse { 50% { opacity: .35; } }

main { max-width: 90rem; margin: 0 auto; padding: 1.25rem 1.25rem 5rem; overflow-wrap: break-word; }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 2rem 0 .75rem; font-size: 1.1rem; line-height: 1.3; }
h3 { margin: 0 0 .5rem; font-size: .95rem; line-height: 1.3; }
.card > h2 { margin-top: 0; }
h2 .soft { font-weight: 400; font-size: .875rem; }
.heading { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .5rem 1.5rem; margin: 0 0 1rem; }
h2 + .switch, .heading h2 { margin: 0; }
.heading:has(h2) { margin-top: 2rem; }
.crumbs { margin: 0 0 .25rem; font-size: .875rem; }
.lead { max-width: 48rem; margin-top: 0; color: var(--soft); }
.soft, .sub { color: var(--soft); }
.sub { display: block; font-weight: 400; font-size: .8125rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; box-shadow: var(--shade); }
section.card, details.card, article.card { padding: 1rem 1.25rem; margin: 0 0 1rem; }
code, pre { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .875em; }
code { overflow-wrap: anywhere; }
pre code { font-size: inherit; overflow-wrap: inherit; }
.card p code, .card li code, .empty code { background: var(--page); padding: .1em .3em; border-radius: .25rem; }
pre { margin: 0; padding: .75rem 1rem; overflow-x: auto; background: var(--page); border: 1px solid var(--line); border-radius: .5rem;
  line-height: 1.5; overflow-wrap: normal; }
pre.wrap { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 30rem; overflow-y: auto; }
.copyable { position: relative; }
.copyable button { position: absolute; right: .4rem; top: .4rem; }
.copyable:has(button:not([hidden])) pre { padding-right: 5rem; }
ul.plain { list-style: none; margin: 0; padding: 0; }

.notice { margin: 0 0 1rem; padding: .6rem 1rem; background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--good);
  border-radius: .5rem; }
.notice.refused { border-left-color: var(--bad); }
.verdict { margin: 0 0 .75rem; font-size: 1rem; max-width: 64rem; }
.verdict:last-child { margin-bottom: 0; }
.needs { list-style: none; margin: 0; padding: .4rem 0; }
.needs li { position: relative; padding: .35rem 1.25rem .35rem 2.5rem; }
.needs li::before { content: ""; position: absolute; left: 1.25rem; top: .85rem; width: .55rem; height: .55rem; border-radius: 50%;
  background: var(--idle); }
.needs .good::before { background: var(--good); }
.needs .warn::before { background: var(--warn); }
.needs .bad::before { background: var(--bad); border-radius: 1px; }
.empty { margin: 0 0 1rem; padding: 2rem 1.25rem; text-align: center; color: var(--soft); background: var(--card);
  border: 1px dashed var(--line); border-radius: .75rem; }
.empty pre { display: inline-block; max-width: 100%; color: var(--text); text-align: left; }

.tiles { display: grid; grid-template-columns: repeat(8, minmax(0, 1fr)); gap: .75rem; list-style: none; margin: 1rem 0 0; padding: 0; }
.tile { position: relative; overflow: hidden; font-size: .8125rem; line-height: 1.35; }
.tile::before { content: ""; position: absolute; inset: 0 0 auto; height: 3px; background: var(--line); }
.tile > a, .tile:not(:has(> a)) { padding: .7rem .9rem .75rem; }
.tile a { display: block; height: 100%; color: inherit; text-decoration: none; border-radius: .75rem; }
.tile:has(a:hover) { border-color: var(--link); }
.tile .label { display: block; color: var(--soft); }
.tile a .label { text-decoration: underline; text-decoration-color: var(--line); text-underline-offset: .2em; }
.tile strong { display: block; margin: .1rem 0; font-size: 1.5rem; line-height: 1.2; font-weight: 600; font-variant-numeric: tabular-nums; }
.tile a:focus-visible { outline-offset: -3px; border-radius: .75rem; }
.tile.good::before { background: var(--good); }
.tile.bad::before { background: var(--bad); }
.tile.warn::before { background: var(--warn); }
@media (max-width: 76rem) { .tiles { grid-template-columns: repeat(4, minmax(0, 1fr)); } }
.switch { display: flex; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); overflow: hidden; }
.switch a { padding: .25rem .8rem; color: var(--soft); text-decoration: none; font-size: .875rem; }
.switch a + a { border-left: 1px solid var(--line); }
.switch a:hover { color: var(--text); }
.switch a[aria-current] { color: var(--text); background: var(--page); font-weight: 600; }
.switch a:focus-visible { outline-offset: -2px; }

.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: .75rem; }
.charts .card { margin: 0; padding: .9rem 1.1rem; }
.charts h3 { margin: 0; }
.about { margin: 0 0 .3rem; color: var(--soft); font-size: .8125rem; }
.figure { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1rem; margin: 0 0 .4rem; color: var(--soft); font-size: .8125rem; }
.figure strong { color: var(--text); font-size: 1.5rem; line-height: 1.2; font-weight: 600; font-variant-numeric: tabular-nums; }
.key::before { content: ""; display: inline-block; width: .7em; height: .7em; margin-right: .4em; border-radius: 2px; background: var(--idle); }
.key.good::before { background: var(--good); }
.key.bad::before { background: var(--bad); }
.key.typical::before { height: 3px; width: 1em; vertical-align: .25em; background: var(--typical); }
.key.slow::before { height: 3px; width: 1em; vertical-align: .25em; background: var(--slow); }
svg { display: block; width: 100%; height: auto; overflow: visible; }
svg text { fill: var(--soft); font: 10.5px system-ui, sans-serif; }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg .good { fill: var(--good); }
svg .bad { fill: var(--bad); }
svg .warn { fill: var(--warn); }
svg .none { fill: var(--line); }
svg .hit { fill: transparent; }
svg .hit:hover { fill: var(--line); fill-opacity: .5; }
.line { fill: none; stroke-width: 1.75; stroke-linejoin: round; stroke-linecap: round; }
.line.typical { stroke: var(--typical); }
.line.slow { stroke: var(--slow); stroke-dasharray: 4 2.5; }
circle.typical { fill: var(--typical); }
circle.slow { fill: var(--slow); }
.strip { width: 12rem; min-width: 8rem; max-width: 100%; }
.card > .strip { width: 24rem; }
.card > .strip + p { margin: .3rem 0 1rem; font-size: .8125rem; }
.waterfall { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .2rem 1rem; max-width: 44rem; margin: .25rem 0 .6rem;
  font-size: .875rem; line-height: 1.3; }
.waterfall dd { display: grid; grid-template-columns: minmax(0, 1fr) 4.5rem; align-items: center; gap: 1rem; }
.waterfall span { text-align: right; font-variant-numeric: tabular-nums; }
.waterfall svg { height: .7rem; }
.waterfall .grid { fill: var(--line); stroke: none; }
.phase { fill: var(--idle); }
.phase.dns { fill: var(--idle); }
.phase.connect { fill: var(--slow); }
.phase.tls { fill: #8e6bbf; }
.phase.first_byte { fill: var(--typical); }
.phase.body { fill: var(--good); }
.phase.cut { fill: var(--bad); fill-opacity: .55; }

.mark { display: inline-block; padding: .05rem .55rem .05rem .45rem; border: 1px solid var(--line); border-radius: 99px; background: var(--page);
  font-size: .8125rem; line-height: 1.45; font-weight: 500; white-space: nowrap; }
.mark::before { content: ""; display: inline-block; width: .5em; height: .5em; margin-right: .4em; border-radius: 50%; vertical-align: .08em;
  background: var(--idle); }
.mark.good::before { background: var(--good); }
.mark.bad::before { background: var(--bad); }
.mark.warn::before { background: var(--warn); }
.mark.busy::before { background: var(--busy); }

.scroll { overflow-x: auto; }
.scroll.card { margin-bottom: 1rem; }
table { width: 100%; border-collapse: collapse; font-size: .875rem; line-height: 1.4; }
th, td { padding: .55rem .75rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th:first-child, td:first-child { padding-left: 1.25rem; }
tbody tr:last-child > * { border-bottom: 0; }
tbody tr:hover { background: var(--page); }
thead th { color: var(--soft); font-weight: 500; font-size: .8125rem; white-space: nowrap; }
tbody th { font-weight: 500; }
.number, .figures td { font-variant-numeric: tabular-nums; white-space: nowrap; }
.when, .host { white-space: nowrap; }
.address { min-width: 15rem; max-width: 26rem; overflow-wrap: anywhere; }
.state { max-width: 15rem; }
.breaker { min-width: 9rem; max-width: 14rem; }
.reason { max-width: 24rem; }
.figures { font-size: .8125rem; }
.figures th, .figures td { padding-top: .25rem; padding-bottom: .25rem; white-space: nowrap; }
.figures tbody th { font-weight: 400; }
meter { width: 4.5rem; height: .8rem; vertical-align: middle; }
.pager { display: flex; flex-wrap: wrap; align-items: center; justify-content: center; gap: .5rem 1rem; margin: 1rem 0; }

dl { margin: 0; }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .3rem 1.5rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.headers { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .1rem 1rem; font: .8125rem/1.5 ui-monospace, Menlo, Consolas, monospace; }
.headers + pre { margin-top: .5rem; }
.try > p { margin: 0 0 .5rem; }
.why { font-size: 1rem; }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 0 1.5rem; }
summary { cursor: pointer; color: var(--link); }
.two summary { padding: .15rem 0; }
details[open] > summary { margin-bottom: .5rem; }
.as-table { margin: .6rem 0 0; font-size: .875rem; }
#verify h3 { margin: 1rem 0 .4rem; }

button, .button, input, select { font: inherit; color: inherit; }
button, .button { display: inline-block; padding: .35rem .85rem; background: var(--card); border: 1px solid var(--edge); border-radius: .5rem;
  color: var(--text); line-height: 1.45; text-decoration: none; cursor: pointer; }
button:hover, .button:hover { border-color: var(--link); color: var(--link); }
button.primary { background: var(--link); border-color: var(--link); color: var(--on); font-weight: 600; }
button.primary:hover { filter: brightness(1.1); color: var(--on); }
button.danger { color: var(--bad); }
button.danger:hover { border-color: var(--bad); color: var(--bad); }
button.quiet { padding: .15rem .55rem; font-size: .8125rem; border-color: var(--line); }
button[hidden] { display: none; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; }
.action-list { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(13rem, 100%), 1fr)); gap: 1rem 1.5rem; }
.action p { margin: .35rem 0 0; font-size: .8125rem; }
.action > div { display: flex; flex-wrap: wrap; gap: .4rem; }
.action select { width: auto; }
.filter { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(11.5rem, 100%), 1fr)); gap: .6rem .9rem; align-items: end;
  padding: .9rem 1.25rem 1rem; margin: 0 0 1rem; }
.filter > * { min-width: 0; align-self: start; }
.field label { display: block; margin-bottom: .15rem; color: var(--soft); font-size: .8125rem; }
input, select { width: 100%; min-width: 0; padding: .35rem .55rem; background: var(--card); border: 1px solid var(--edge); border-radius: .5rem;
  line-height: 1.45; }
input::placeholder { color: var(--soft); opacity: 1; }
[aria-invalid] { border-color: var(--bad); }
.complaint { margin: .2rem 0 0; color: var(--bad); font-size: .8125rem; overflow-wrap: anywhere; }
.buttons { display: flex; align-items: center; gap: 1rem; padding-top: 1.4rem; }
section.message { max-width: 34rem; margin: 8vh auto 0; padding: 2rem 2.25rem; }
section.message.wide { max-width: 46rem; }

@media (max-width: 56rem) {
  header { position: static; gap: .25rem 1rem; }
  .brand { flex: 1; }
  header nav { order: 3; flex: 1 0 100%; }
}
@media (max-width: 46rem) {
  header { padding: .6rem 1rem; }
  .who span { display: none; }
  main { padding: 1rem 1rem 4rem; }
  .filter { grid-template-columns: repeat(2, minmax(0, 1fr)); padding: .75rem 1rem .9rem; }
  .filter .f-since, .filter .f-until, .filter .f-endpoint, .filter .f-booking_ref, .filter .buttons { grid-column: 1 / -1; }
  .buttons { padding-top: .25rem; }
  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .facts, .headers { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .facts dd, .headers dd { margin-bottom: .5rem; }
  section.message { padding: 1.25rem; margin-top: 1rem; }
  .scroll.card:has(.cards) { overflow: visible; background: none; border: 0; box-shadow: none; }
  .cards, .cards tbody, .cards tr, .cards th, .cards td { display: block; }
  .cards thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .cards tr { margin-bottom: .75rem; padding: .6rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
  .cards tbody tr:hover { background: var(--card); }
  .cards th, .cards td { max-width: none; padding: .15rem 0; border: 0; white-space: normal; }
  .cards tbody th { font-weight: 600; padding-bottom: .35rem; }
  .cards td { position: relative; padding-left: 7.25rem; }
  .cards td::before { content: attr(data-label); position: absolute; left: 0; color: var(--soft); font-size: .8125rem; }
  .cards td:empty, .cards td.none { display: none; }
}
@media (prefers-reduced-motion: reduce) { * { animation: none !important; } }
@media print { header, .filter, .actions, form { display: none; } body { background: none; } }
`;
