import type { OfflineVerb } from '../engine/command';

export const doctor: OfflineVerb = {
  usage: 'doctor',
  about: 'Check that every promise holds, and say what to do; exit 1 if one does not',
  examples: ['doctor', 'doctor --json'],
  // It opens the database itself: that it cannot is a finding, not a failure.
  runOffline: () => (require('./doctor/examine') as typeof import('./doctor/examine')).doctorCommand,
};
