import { z } from 'zod';
import { message, pageOf } from '#features/clients/threads/threads.ts';

/** A message between the firm and the people of a client. */
export const clientMessage = z.strictObject({ ...message.shape, clientId: z.string() });
export type ClientMessage = z.infer<typeof clientMessage>;

export const clientMessagePage = pageOf(clientMessage);
export type ClientMessagePage = z.infer<typeof clientMessagePage>;
