import { showChange } from '../../../services/api/audit/show-change';
import type { Context } from '../../context';
import { properties, table } from '../../table';
import { changedFields, toChangeDocument } from './change-document';

const COLUMNS = ['field', { heading: 'before', least: 12 }, { heading: 'after', least: 12 }];

export async function showChangeCommand({ db, output }: Context, _: object, id: number): Promise<void> {
  const document = toChangeDocument(await showChange(db, id));
  output.answer(document, (screen) => {
    const { before: _before, after: _after, ...facts } = document;
    const rows = changedFields(document).map(({ field, before, after }) => [field, before, after]);
    return `${properties(facts, screen)}\n\n${table(COLUMNS, rows, 'It recorded no fields', screen)}`;
  });
}
