import sharp from 'sharp';
import { fairQueue } from './fair-queue.server.ts';

// A single thread, so that an uploaded image can never occupy the whole machine.
sharp.concurrency(1);

/** Decodes uploaded images one at a time, with a fair queue. */
export const withImageSlot = fairQueue({ width: 1, perPerson: 32, perFirm: 64, total: 256 });
