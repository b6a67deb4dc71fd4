import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DARK, DEFAULT_COLORS, LIGHT } from './embed-brand';

const LIGHT_THEME = `--accent: var(--on-light); ${variables(LIGHT)} --shade: 0 1px 2px rgb(16 24 40 / 5%);
  --plate: none; --inset: 0;`;
const DARK_THEME = `--accent: var(--on-dark); ${variables(DARK)} --shade: none;
  --plate: #fff; --inset: 6px 10px;`;
const THEMES = `
:root { ${DEFAULT_COLORS} --radius: 14px; ${LIGHT_THEME}
  --font: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { ${DARK_THEME} } }
:root[data-theme=light] { ${LIGHT_THEME} color-scheme: light; }
:root[data-theme=dark] { ${DARK_THEME} color-scheme: dark; }
`;

/** The embed page's inline style sheet and script. They are constant: the policy of every page names their hashes. */
export const EMBED_STYLE = withoutIndentation(THEMES + readAsset('embed.css'));
export const EMBED_SCRIPT = withoutIndentation(readAsset('embed.js'));

function readAsset(name: string): string {
  return readFileSync(join(__dirname, 'assets', name), 'utf8');
}

/** Removes the indentation, the empty lines and the comments, which only readers of the source need. */
function withoutIndentation(source: string): string {
  return source.replace(/^\s*(\/\/.*|\/\*.*\*\/)$/gm, '').replace(/\s*\n\s*/g, '\n');
}

function variables(colors: Record<string, string>): string {
  return Object.entries(colors)
    .map(([name, color]) => `--${name}: ${color};`)
    .join(' ');
}
