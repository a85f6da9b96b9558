import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { readCsv } from './csv-reader.server.ts';
import type { Tabular } from './tabular.ts';
import { readXlsx } from './xlsx-reader.server.ts';

/*
 * The thread in which an uploaded table is read (threat-model.md T51). It knows nobody and nothing: it
 * receives bytes and returns rows. Whatever fails ends it.
 */

const { bytes, place } = z
  .object({
    bytes: z.instanceof(Uint8Array),
    place: z.object({ sheet: z.string().optional(), headingLine: z.number().optional() }),
  })
  .parse(workerData);

const ZIP = [0x50, 0x4b];

const isArchive = ZIP.every((byte, index) => bytes[index] === byte);

const result: Tabular = isArchive ? await readXlsx(Buffer.from(bytes), place) : readCsv(bytes, place);
parentPort?.postMessage(result);
