import fc from 'fast-check';
import { foldName } from '../../services/platform/forms/fold-name';

describe('the folded name', () => {
  it.each([
    ['Kraków & Łódź', 'krakow & lodz'],
    ['São Paulo', 'sao paulo'],
    ['Straße nach ẞüd', 'strasse nach ssud'],
    ['Tromsø, Ærø, Œuvre', 'tromso, aero, oeuvre'],
    ['Þingvellir og Seyðisfjörður', 'thingvellir og seydisfjordur'],
    ['Đà Nẵng – Hội An', 'da nang - hoi an'],
    ['Phố cổ Hà Nội', 'pho co ha noi'],
    ['İstanbul’dan Iğdır’a', "istanbul'dan igdir'a"],
    ['ΟΔΟΣ Ὀδυσσέως', 'οδοσ οδυσσεωσ'],
    ['Ёлка, Йошкар-Ола', 'елка, иошкар-ола'],
    ['京都と富士山ガイド', '京都と富士山ガイド'],
    ['ｶﾞｲﾄﾞ Ｔｏｕｒ', 'ガイド tour'],
    ['서울 궁궐', '서울 궁궐'],
    ['ทัวร์ไทย', 'ทัวร์ไทย'],
    ['हिमालय', 'हिमालय'],
    ['a \t\n  b\u00a0c', 'a b c'],
    ['100%_\\', '100%_\\'],
  ])('foldName folds %s to %s', (name, folded) => {
    expect(foldName(name)).toBe(folded);
  });

  it('composed and decomposed letters give the same folded name', () => {
    const name = 'Đà Nẵng ガイド Ångström';
    expect(foldName(name.normalize('NFD'))).toBe(foldName(name.normalize('NFC')));
  });

  it('folding a folded name changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        expect(foldName(foldName(name))).toBe(foldName(name));
      }),
      { numRuns: 2000 },
    );
  });

  it('folding ignores case', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'aÀßøŁĐİıΣςσЖガ한 ') }), (name) => {
        expect(foldName(name.toLowerCase())).toBe(foldName(name));
      }),
    );
  });
});
