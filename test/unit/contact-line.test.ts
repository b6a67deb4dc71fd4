import { readContact } from '../../cli/commands/booking/ask-contact';

describe('The line of a contact', () => {
  it.each([
    ['Ana Lima 030 901820', 'Ana Lima', '030 901820', undefined],
    ['Ana Lima, 030 901820, ana@example.com', 'Ana Lima', '030 901820', 'ana@example.com'],
    ['Ana Lima, 030 901820 (Anna, after 6)', 'Ana Lima', '030 901820 (Anna, after 6)', undefined],
    ['030 901820 / 0176 1234567 (Anna) Ana Lima', 'Ana Lima', '030 901820 / 0176 1234567 (Anna)', undefined],
    ['Ana Lima (Lisbon) 030 901820', 'Ana Lima (Lisbon)', '030 901820', undefined],
  ])('%s: a text in parentheses after the number is said of the number', (line, name, phone, email) => {
    expect(readContact(line)).toEqual({ name, phone, email });
  });
});
