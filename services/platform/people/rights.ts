import { VIEWER_COLUMNS } from './columns';
import { PERSON_ROLES, type PersonRole, TASKS, TASKS_OF_TWO } from './tasks';

/** A row of database_rights. */
interface Right {
  role: string;
  object: string;
  rights: string;
}

const groupOf = (role: PersonRole) => `tour_platform_${role}`;

/** Returns the rows of database_rights for the roles of people: the rights of all tasks of a role, by object. */
export function rightsOfPeople(): Right[] {
  return PERSON_ROLES.flatMap((role) => {
    const tasks = TASKS.filter(({ roles }) => roles.includes(role));
    const objects = [...new Set(tasks.flatMap(({ rights }) => Object.keys(rights)))].sort();
    return objects.map((object) => ({
      role: groupOf(role),
      object,
      rights: joinRights(tasks.flatMap(({ rights }) => rights[object] ?? [])),
    }));
  });
}

/** Joins texts of GRANT. A right on the table wins over the same right on some columns, and lists of columns are joined. */
function joinRights(texts: readonly string[]): string {
  const columns = new Map<string, Set<string> | null>();
  for (const text of texts)
    for (const [, right, list] of text.matchAll(/(\w+)(?: \(([^)]*)\))?(?:, )?/g)) {
      const known = columns.get(right!);
      if (list === undefined) columns.set(right!, null);
      else if (known !== null) columns.set(right!, new Set([...(known ?? []), ...list.split(', ')]));
    }
  return [...columns]
    .map(([right, names]) => (names === null ? right : `${right} (${[...names].join(', ')})`))
    .join(', ');
}

/** A row of people_tasks: the actions of a task in the audit log, and the tables that it may change. */
interface ChangingTask {
  name: string;
  actions: string[];
  objects: string[];
}

/** Returns the rows of people_tasks. A command of two roles states the changes of both tasks. */
export function changingTasks(): ChangingTask[] {
  return TASKS.map(({ name, commands, actions = [], roles, rights }) => {
    const ofTwo = TASKS_OF_TWO.filter((two) => two.roles.some((role) => roles.includes(role)));
    const all = [...commands, ...ofTwo.flatMap((two) => two.commands)].map((command) =>
      command.replaceAll(' ', '.'),
    );
    const isChanged = (object: string) =>
      /^(?!audit_log)\w+$/.test(object) &&
      /\b(insert|update(?! \(created_at\))|delete)\b/.test(rights[object]!);
    const objects = Object.keys(rights).filter(isChanged);
    // Functions of the owner write these.
    if (commands.includes('people add')) objects.push('people', 'audit_log');
    return { name, actions: [...new Set([...all, ...actions])], objects: objects.sort() };
  }).filter(({ objects }) => objects.length > 0);
}

/** Returns the statement of a migration that gives the roles of people the rights of TASKS, and the columns of VIEWER_COLUMNS. */
export function peopleStatements(): string {
  const columns = Object.entries(VIEWER_COLUMNS).map(
    ([table, names]) => `  ('${table}', '{${names.replaceAll(' ', ',')}}')`,
  );
  const rows = rightsOfPeople().map(({ role, object, rights }) => `  ('${object}', '${role}', '${rights}')`);
  const tasks = changingTasks().map(
    ({ name, actions, objects }) => `  ('${name}', '{${actions.join(',')}}', '{${objects.join(',')}}')`,
  );
  return [
    `insert into people_tasks (name, actions, objects)\nvalues\n${tasks.join(',\n')};`,
    `insert into viewer_columns (object, column_name)\nselect v.object, unnest(v.names::text[]) from (values\n${columns.join(',\n')}\n) as v (object, names);`,
    `insert into database_rights (object, role, rights)\nvalues\n${rows.join(',\n')};`,
  ].join('\n');
}
