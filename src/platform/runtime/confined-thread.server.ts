/** The memory limit of PDFium: 512 MiB in WebAssembly's pages of 64 KiB. */
const MAX_MEMORY = 512 * 16;

/**
 * Confines the thread in which files of others are read, before it loads PDFium: WebAssembly gets a RangeError instead of
 * more than 512 MiB, and what libraries print, which may quote the file, is discarded.
 */
export function confineThread(): void {
  const { grow } = WebAssembly.Memory.prototype;
  WebAssembly.Memory.prototype.grow = function growALittle(this: WebAssembly.Memory, pages: number) {
    if (this.buffer.byteLength / 65_536 + pages > MAX_MEMORY)
      throw new RangeError('a PDF asks for more memory than it may have');
    return grow.call(this, pages);
  };
  // eslint-disable-next-line no-console -- the output is discarded
  for (const method of ['error', 'warn', 'log', 'info', 'debug'] as const) console[method] = () => undefined;
}
