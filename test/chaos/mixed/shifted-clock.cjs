'use strict';

/** Moves the clock of a service by CLOCK_SHIFT_MS, with `--require`. Timers and performance.now() keep running as before. */
const shift = Number(process.env.CLOCK_SHIFT_MS);
const SystemDate = Date;

globalThis.Date = class Date extends SystemDate {
  constructor(...given) {
    if (given.length === 0) super(SystemDate.now() + shift);
    else super(...given);
  }

  static now() {
    return SystemDate.now() + shift;
  }
};
