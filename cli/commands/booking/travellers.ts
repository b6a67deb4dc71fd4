import { flag } from '../../engine/command';
import { UsageError } from '../../engine/failure';

/** The flag that clears the named travellers. A list of them is personal data of several people, and comes by REST. */
export const TRAVELLERS_FLAG = flag('--travellers <none>', 'none clears the list of named travellers', {
  parse: (text: string, name: string): null => {
    if (text !== 'none') throw new UsageError(`${name} must be none: it clears the list`);
    return null;
  },
});
