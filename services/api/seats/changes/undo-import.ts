import { enqueueBookingEvents } from '../../bookings/booking-events';
import {
  findImportedLeads,
  findLeadsById,
  type ImportedLead,
  markImportUndone,
  undoImportedLeads,
} from '../../bookings/booking-lead.repository';
import type { Trx } from '../../../platform/database/database';
import type { Actor } from '../../tenants/actor';
import { datesOfBothKinds } from '../after-commit';
import type { BulkChange } from '../bulk-change';
import { cancelledLeads } from './cancel-all';

/** The bookings of an undone import. */
export interface UndoneImport {
  undone: ImportedLead[];
  /** Those that something has changed since. They stay as they are. */
  left: ImportedLead[];
}

/**
 * Builds the undo of an import: cancels the bookings that nothing has changed since, erases their customers and frees their references.
 * Enqueues `booking.cancelled`, without the customers, unless the import was silent.
 */
export async function undoImport(
  trx: Trx,
  { importId, isSilent, by }: { importId: string; isSilent: boolean; by: Actor },
): Promise<BulkChange<UndoneImport>> {
  const found = await findImportedLeads(trx, importId);
  return {
    departureIds: [...new Set(found.map(({ departureId }) => departureId))].sort(),
    change: async () => {
      const leads = await findImportedLeads(trx, importId);
      const undone = leads.filter(({ isUnchanged }) => isUnchanged);
      const ids = undone.map(({ id }) => id);
      await undoImportedLeads(trx, cancelledLeads(undone), by);
      if (!isSilent) await enqueueBookingEvents(trx, 'booking.cancelled', await findLeadsById(trx, ids));
      await markImportUndone(trx, importId, by);
      const changed = undone.flatMap(({ tourId, departureDate }) => datesOfBothKinds(tourId, departureDate));
      return { result: { undone, left: leads.filter(({ isUnchanged }) => !isUnchanged) }, changed };
    },
  };
}
