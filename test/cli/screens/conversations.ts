import path from 'node:path';
import { KEY, openPseudoTerminal } from '../../support/pseudo-terminal';

const ENTRY = path.resolve(__dirname, '../../../cli/tourctl.js');

/** The questions of each command, with the keys that answer them. */
export const CONVERSATIONS: Record<string, [question: string, ...keys: string[]][]> = {
  'tourctl tenant onboard': [
    ['Its name for people:', 'Nordlys Reiser', KEY.enter],
    ['Slug', KEY.clearLine, 'nordlys', KEY.enter],
    ['Kind', KEY.enter],
    ['Status', KEY.enter],
    ['Country', 'NO', KEY.enter],
    ['Currency', KEY.enter],
    ['Prefix', KEY.enter],
    ['Tours that it shows', KEY.down, KEY.enter],
    ['Continents', KEY.down, KEY.down, KEY.space, KEY.enter],
    ['Its prices', KEY.down, KEY.enter],
    ['Percent to add', '10', KEY.enter],
    ['Round to a multiple', '5', KEY.enter],
    ['Deposit', KEY.enter],
    ['Percent of a departure', KEY.enter],
    ['Sites that may show', 'nordlys.example', KEY.enter],
    ['Issue an API key', KEY.enter],
    ['What may the key do?', KEY.down, KEY.enter],
    ['When does it expire', KEY.enter],
    ['Site that', KEY.enter],
    ['Issue a widget token', KEY.enter],
    ['Widget token is valid', KEY.enter],
    ['Address of a tour', 'https://nordlys.example/tours/{slug}', KEY.enter],
    ['Endpoint that receives', 'https://nordlys.example/hooks', KEY.enter],
    ['Events that it receives', KEY.enter],
    ['Body of its requests', KEY.enter],
    ['New file for the secrets', 'nordlys.secrets', KEY.enter],
    ['Write all of it?', KEY.enter],
  ],
  'tourctl key issue acme': [
    ['What may the key do?', KEY.enter],
    ['When does it expire?', KEY.enter],
  ],
};

/** Runs the command at a real terminal: returns each question with its answer, and all output between them. */
export async function converse(line: string, env: Record<string, string>, folder: string): Promise<string> {
  const command = line.replace(/^tourctl/, `exec ${process.execPath} ${ENTRY}`);
  const person = openPseudoTerminal(`cd '${folder}'; ${command}`, env);
  for (const [question, ...keys] of CONVERSATIONS[line]!) await person.answer(question, ...keys);
  await person.ended;
  return withoutRedrawing(person.shown);
}

/** Keeps only the line with the tick, because a prompt is redrawn at every key. */
function withoutRedrawing(shown: string): string {
  let asking = false;
  const lines = shown.split('\n').flatMap((line) => {
    const tick = line.lastIndexOf('✔ ');
    if (tick >= 0) asking = false;
    else if (line.startsWith('? ')) asking = true;
    if (asking) return [];
    return tick >= 0 ? line.slice(tick).trimEnd() : line;
  });
  return lines.join('\n');
}
