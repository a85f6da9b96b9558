import { parentPort } from 'node:worker_threads';
import { z } from 'zod';
import { readFiscalXml } from '#features/documents/fiscal-xml/read.server.ts';

/*
 * The thread in which the files of archives are read. It knows nobody and nothing: it receives bytes and returns what is in
 * them. Whatever fails ends it.
 */

const order = z.object({ bytes: z.instanceof(Uint8Array), sizes: z.array(z.number()) });

parentPort?.on('message', (message: unknown) => {
  const { bytes, sizes } = order.parse(message);
  let offset = 0;
  const contents = sizes.map((size) => {
    const file = bytes.subarray(offset, offset + size);
    offset += size;
    return readFiscalXml(file, { isBrief: true });
  });
  parentPort?.postMessage(contents);
});
