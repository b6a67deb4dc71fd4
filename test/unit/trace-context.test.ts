import { readTraceparent } from '../../services/platform/traces';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

describe('the traceparent header', () => {
  it('the parser of traceparent reads the trace id, the parent id and the sampled flag', () => {
    expect(readTraceparent(`00-${TRACE}-${PARENT}-01`)).toEqual({
      traceId: TRACE,
      parentId: PARENT,
      sampled: true,
    });
    expect(readTraceparent(`00-${TRACE}-${PARENT}-00`)).toMatchObject({ sampled: false });
  });

  it('the parser of traceparent reads the sampled flag among unknown flags', () => {
    expect(readTraceparent(`00-${TRACE}-${PARENT}-03`)).toMatchObject({ sampled: true });
    expect(readTraceparent(`00-${TRACE}-${PARENT}-02`)).toMatchObject({ sampled: false });
  });

  it('the parser of traceparent reads the known fields of a later version', () => {
    expect(readTraceparent(`01-${TRACE}-${PARENT}-01`)).toMatchObject({ traceId: TRACE });
    expect(readTraceparent(`cc-${TRACE}-${PARENT}-01-what-the-future-brings`)).toMatchObject({
      traceId: TRACE,
    });
  });

  it.each([
    ['nothing', undefined],
    ['an empty header', ''],
    ['another form', 'banana'],
    ['more than version 00 has', `00-${TRACE}-${PARENT}-01-more`],
    ['a tail without a dash', `01-${TRACE}-${PARENT}-01more`],
    ['version ff', `ff-${TRACE}-${PARENT}-01`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`],
    ['a parent of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['capitals', `00-${TRACE.toUpperCase()}-${PARENT}-01`],
    ['one digit less', `00-${TRACE.slice(1)}-${PARENT}-01`],
    ['two headers, as Node joins them', `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`],
    ['a line break', `00-${TRACE}-${PARENT}-01\n`],
    ['a later version with a line break', `01-${TRACE}-${PARENT}-01-a\n{"level":"error"}`],
  ])('the parser of traceparent ignores %s', (_what, header) => {
    expect(readTraceparent(header)).toBeUndefined();
  });
});
