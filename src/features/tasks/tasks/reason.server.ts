import { z } from 'zod';
import { MAX_COMMENT } from './tasks.ts';

/** Why a task is returned or does not apply; `missing` is shown without it. */
export const reason = (missing: { error: string }) => z.string().trim().min(1, missing).max(MAX_COMMENT);
