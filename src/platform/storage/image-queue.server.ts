import type Sharp from 'sharp';
import { fairQueue } from '../jobs/fair-queue.server.ts';

/** The library for images, loaded for the first one, as it takes 8 MB. */
export async function loadSharp(): Promise<typeof Sharp> {
  const { default: sharp } = await import('sharp');
  sharp.concurrency(1); // a single thread, so that an uploaded image can never occupy the whole machine
  return sharp;
}

/** Decodes uploaded images one at a time, with a fair queue. */
export const withImageSlot = fairQueue({ width: 1, perPerson: 32, perFirm: 64, total: 256 });
