import fc from 'fast-check';
import { cutArray, cutLines, type JsonPiece } from '../../services/api/catalog-import/cut-json';

type Cut = typeof cutArray;

async function cut(cutter: Cut, chunks: Iterable<string>): Promise<JsonPiece[]> {
  const pieces: JsonPiece[] = [];
  for await (const more of cutter(arriving(chunks))) pieces.push(...more);
  return pieces;
}

async function* arriving(chunks: Iterable<string>): AsyncGenerator<string> {
  yield* chunks;
}

/** Splits the text into chunks of these lengths, repeatedly. */
function inChunks(text: string, lengths: number[]): string[] {
  const chunks: string[] = [];
  for (let at = 0, i = 0; at < text.length; i++) {
    const length = lengths[i % lengths.length]!;
    chunks.push(text.slice(at, at + length));
    at += length;
  }
  return chunks;
}

const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

describe('a JSON array that arrives in chunks', () => {
  it('cutArray yields the same elements wherever the chunks end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue(), { maxLength: 5 }),
        fc.constantFrom(0, 2),
        fc.boolean(),
        lengths,
        async (values, indent, isObject, sizes) => {
          const text = JSON.stringify(isObject ? { tours: values } : values, null, indent);
          const pieces = await cut(cutArray, inChunks(text, sizes));
          expect(pieces.map((piece) => JSON.parse(piece.text))).toEqual(JSON.parse(JSON.stringify(values)));
        },
      ),
    );
  });

  it('cutArray yields resources and tours in both orders, wherever the chunks end', async () => {
    const texts = [
      '{"resources": [1, 2],\n "tours": [{"a": []}]}',
      '{"tours": [{"a": []}], "resources": [1, 2]}',
    ];
    for (const [index, text] of texts.entries()) {
      for (let size = 1; size <= text.length; size++) {
        const pieces = await cut(cutArray, inChunks(text, [size]));
        const found = pieces.map((piece) => [piece.list === 'resources', JSON.parse(piece.text)]);
        const [one, two, tour] = [
          [true, 1],
          [true, 2],
          [false, { a: [] }],
        ];
        expect(found).toEqual(index === 0 ? [one, two, tour] : [tour, one, two]);
      }
    }
    const twice = cut(cutArray, ['{"tours": [], "tours": []}']);
    await expect(twice).rejects.toThrow('must be an array of tours');
  });

  it('cutArray reports the line where each element begins', async () => {
    const text = '\n{ "tours":\n [ {"a":\n"}]"},\n\n\n{"b": "\\"[{"}\n]\n}\n';
    for (const size of [1, 3, 100]) {
      const pieces = await cut(cutArray, inChunks(text, [size]));
      expect(pieces.map((piece) => [piece.line, JSON.parse(piece.text)])).toEqual([
        [3, { a: '}]' }],
        [7, { b: '"[{' }],
      ]);
    }
  });

  it.each([
    ['', 'must be JSON: Unexpected end of JSON input'],
    ['[{"a": 1}', 'must be JSON: Unexpected end of JSON input'],
    ['[{"a": "x]', 'must be JSON: Unexpected end of JSON input'],
    ['{"a": 1', 'must be JSON'],
    [
      '7',
      'must be an array of tours, or an object with the lists tours, resources and pickup_points, such as {"tours": […]}',
    ],
    [
      '{"trips": []}',
      'must be an array of tours, or an object with the lists tours, resources and pickup_points, such as {"tours": […]}',
    ],
    [
      '{"tours": [], "more": 1}',
      'must be an array of tours, or an object with the lists tours, resources and pickup_points, such as {"tours": […]}',
    ],
    ['{"tours": []', 'must be JSON'],
    ['[1,]', 'must be JSON: an entry is missing'],
    ['[,1]', 'must be JSON: an entry is missing'],
    ['[] []', 'must be JSON: more follows after its end'],
  ])('cutArray refuses %j', async (text, message) => {
    for (const size of [1, 100]) await expect(cut(cutArray, inChunks(text, [size]))).rejects.toThrow(message);
  });

  it('cutArray refuses an endless element before it fills the memory', async () => {
    function* endless() {
      yield '[{"slug": "a"}, {"slug": "b", "description": "';
      for (let i = 0; i < 1000; i++) yield 'x'.repeat(65_536);
    }
    await expect(cut(cutArray, endless())).rejects.toThrow('does not end');
  });
});

describe('lines that arrive in chunks', () => {
  it('cutLines yields the same lines wherever the chunks end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('', ' ', '{"a":1}', 'xy')), lengths, async (lines, sizes) => {
        const pieces = await cut(cutLines, inChunks(lines.join('\n'), sizes));
        const expected = lines
          .map((text, i) => ({ text, line: i + 1, ...(i === lines.length - 1 && { isUnended: true }) }))
          .filter(({ text }) => text.trim() !== '');
        expect(pieces).toEqual(expected);
      }),
    );
  });
});
