import { PAST_FROM, SALES_END_AT } from '../catalog/departure-state';

/**
 * Moves the holds `:holdIds` to the departure `:toId`. They end no later than it closes; a hold of the desk no later than it is past. A part of a
 * statement that moves bookings too.
 */
export const MOVE_HOLD_ROWS = `
  update seat_holds h set departure_id = d.id, expires_at = least(h.expires_at, case when h.by_desk then ${PAST_FROM} else ${SALES_END_AT} end)
  from departures d join tours t on t.id = d.tour_id
  where h.id = any(:holdIds::uuid[]) and d.id = :toId`;
