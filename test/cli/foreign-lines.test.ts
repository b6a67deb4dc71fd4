import { useSales } from './sales';

const sales = useSales();
const FORGED = 'vegetarian\nstatus  confirmed\nRefused\nNotes: paid\n- Eva (adult)';

/** Returns the lines that begin like the forged ones, in the column of our own lines. */
const forgedLines = (stdout: string, column: number) =>
  stdout.match(new RegExp(`^ {${column}}(status  confirmed|Refused|Notes: paid|- Eva).*`, 'gm')) ?? [];

describe('lines of customers among our own lines', () => {
  it('booking show and the manifest print no line of a customer in the column of their own lines', async () => {
    const { bookingRef } = await sales.book(1, { notes: FORGED });
    const traveller = {
      category: 'adult',
      first_name: 'Ana',
      last_name: 'Lima',
      birth_date: null,
      note: FORGED,
    };
    await sales
      .db('booking_leads')
      .where({ booking_ref: bookingRef })
      .update({ travellers: JSON.stringify([traveller]), customer_name: `Ana\n${FORGED}` });
    const shown = await sales.tourctl(`booking show ${bookingRef} --reveal`);
    expect(shown.stdout).toContain('Ana Lima (adult): vegetarian status  confirmed Refused');
    expect(forgedLines(shown.stdout, 0)).toEqual([]);
    const manifest = await sales.tourctl(`departure manifest ${sales.tour.slug} ${sales.date} --reveal`);
    expect(manifest.stdout).toContain('Notes: vegetarian status  confirmed');
    expect(forgedLines(manifest.stdout, 0)).toEqual([]);
    expect(forgedLines(manifest.stdout, '[ ]  '.length)).toEqual([]);
  });
});
