import type { Flag } from '../../command';

export const REVEAL_FLAG: Flag = {
  flags: '--reveal',
  about: 'show names, phones and emails, which are masked otherwise; leaves an audit row',
};
