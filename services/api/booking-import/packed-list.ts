const PAGE_BYTES = 1024 * 1024;

/**
 * A list of JSON values as bytes outside the heap of V8. 50,000 bookings take 20 MB here. As objects they would take twice as much, and V8 lets a
 * heap grow to four times what is in use.
 * @rule how the rows of an import wait in memory: test/unit/packed-list.test.ts
 */
export class PackedList<T> {
  private readonly pages: Buffer[] = [];
  private readonly pageOf: number[] = [];
  private readonly startOf: number[] = [];
  private readonly lengthOf: number[] = [];
  private used = 0;

  get size(): number {
    return this.startOf.length;
  }

  /** Adds a value. Returns its number, from 0. */
  add(value: T): number {
    const text = JSON.stringify(value);
    const length = Buffer.byteLength(text);
    let page = this.pages.at(-1);
    if (!page || this.used + length > page.length) {
      page = Buffer.allocUnsafeSlow(Math.max(PAGE_BYTES, length));
      this.pages.push(page);
      this.used = 0;
    }
    page.write(text, this.used);
    this.pageOf.push(this.pages.length - 1);
    this.startOf.push(this.used);
    this.lengthOf.push(length);
    this.used += length;
    return this.size - 1;
  }

  get(number: number): T {
    const start = this.startOf[number]!;
    const page = this.pages[this.pageOf[number]!]!;
    return JSON.parse(page.toString('utf8', start, start + this.lengthOf[number]!)) as T;
  }
}
