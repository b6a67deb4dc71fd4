// Tells whether a text is a key or a widget token: its last six characters are a CRC-32 of everything before them.
const { crc32 } = require('node:zlib');

function isOurs(found) {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const stated = [...found.slice(-6)].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
  return crc32(found.slice(0, -6)) === stated;
}

module.exports = { isOurs };
