import { z } from 'zod';
import { message, pageOf } from '#features/clients/threads/threads.ts';

/** A message on a task. */
export const taskMessage = z.strictObject({ ...message.shape, taskId: z.string() });
export type TaskMessage = z.infer<typeof taskMessage>;

export const taskMessagePage = pageOf(taskMessage);
export type TaskMessagePage = z.infer<typeof taskMessagePage>;
