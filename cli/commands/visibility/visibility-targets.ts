import { isContinentOfSomeTour } from '../../../services/api/catalog/find-continent';
import { findTour } from '../../../services/api/catalog/find-tour';
import type { VisibilityTarget } from '../../../services/api/catalog/visibility';
import type { Db } from '../../../services/platform/database';
import type { Output } from '../../output';

export interface TargetOptions {
  tour?: string[];
  continent?: string[];
}

/** What the flags name; without any the tenant's default. */
export async function readTargets(
  db: Db,
  output: Output,
  options: TargetOptions,
): Promise<VisibilityTarget[]> {
  const targets: VisibilityTarget[] = [];
  for (const slug of options.tour ?? [])
    targets.push({ kind: 'tour', tourId: (await findTour(db, slug)).id });
  for (const continent of options.continent ?? []) {
    if (!(await isContinentOfSomeTour(db, continent)))
      output.warn(`no tour is in the continent ${continent}`);
    targets.push({ kind: 'continent', continent });
  }
  return targets.length > 0 ? targets : [{ kind: 'default' }];
}
