import {
  describeRow,
  nullable,
  selected,
  stored,
  time,
} from '../../services/platform/database/row-description';

interface Sale {
  id: number;
  seller: { id: string; slug: string };
  customer: { name: string | null; phone?: string | null };
  refund: { percent: number; minor: number } | null;
  list: string[];
  createdAt: Date;
  endedAt: Date | null;
}

const SALE = describeRow<Sale>({
  id: stored('s.id'),
  seller: { id: stored('s.tenant_id'), slug: selected('n.slug') },
  customer: { name: stored('s.customer_name'), phone: stored('s.customer_phone') },
  refund: nullable({ percent: stored('s.refund_percent'), minor: stored('s.refund_minor') }),
  list: stored('s.words', {
    select: 'upper(s.words)',
    toField: (text: string) => text.split(' '),
    toColumn: (list: string[]) => list.join(' '),
  }),
  createdAt: time('s.created_at'),
  endedAt: time('s.ended_at'),
});

/** A row with the fields' names, as a statement returns it. */
const ROW = {
  id: 7,
  sellerId: 'a',
  sellerSlug: 'acme',
  customerName: null,
  customerPhone: null,
  refundPercent: 50,
  refundMinor: 100,
  list: 'ONE TWO',
  createdAt: new Date('2030-01-01T00:00:00Z'),
  endedAt: null,
  asOf: 'another column',
};
const OBJECT = {
  id: 7,
  seller: { id: 'a', slug: 'acme' },
  customer: { name: null, phone: null },
  refund: { percent: 50, minor: 100 },
  list: ['ONE', 'TWO'],
  createdAt: new Date('2030-01-01T00:00:00Z'),
  endedAt: null,
};

describe('the description of a row', () => {
  it('a description makes the select list, in which a field of a group begins with the name of the group', () => {
    expect(SALE.select.split(', ')).toEqual([
      's.id as id',
      's.tenant_id as seller_id',
      'n.slug as seller_slug',
      's.customer_name as customer_name',
      's.customer_phone as customer_phone',
      's.refund_percent as refund_percent',
      's.refund_minor as refund_minor',
      'upper(s.words) as list',
      's.created_at as created_at',
      's.ended_at as ended_at',
    ]);
  });

  it('a description makes the object of a row, and of a row in JSON, whose times are texts', () => {
    expect(SALE.read(ROW)).toEqual(OBJECT);
    expect(SALE.read(JSON.parse(JSON.stringify(ROW)) as typeof ROW)).toEqual(OBJECT);
    expect(SALE.read({ ...ROW, refundPercent: null, refundMinor: null })).toEqual({
      ...OBJECT,
      refund: null,
    });
  });

  it('a description reads an object back that was written as JSON', () => {
    expect(SALE.fromJson(JSON.parse(JSON.stringify(OBJECT)) as Sale)).toEqual(OBJECT);
    const free = { ...OBJECT, refund: null };
    expect(SALE.fromJson(JSON.parse(JSON.stringify(free)) as Sale)).toEqual(free);
  });

  it('a description makes the stored columns of the given fields, and leaves out what is only read', () => {
    expect(SALE.columnsOf(OBJECT)).toEqual({
      id: 7,
      tenant_id: 'a',
      customer_name: null,
      customer_phone: null,
      refund_percent: 50,
      refund_minor: 100,
      words: 'ONE TWO',
    });
  });

  it('a group is written whole, a null group as nulls, and a field that is not given not at all', () => {
    const written = SALE.columnsOf({ customer: { name: 'Ana Lima' }, refund: null });
    expect(JSON.parse(JSON.stringify(written))).toEqual({
      customer_name: 'Ana Lima',
      customer_phone: null,
      refund_percent: null,
      refund_minor: null,
    });
    expect(Object.keys(written)).toEqual(Object.keys(SALE.columnsOf({})));
  });
});
