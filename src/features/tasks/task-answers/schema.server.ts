import type { Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  task_uploads: { key: ['upload_hash'] },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    task_uploads: TaskUploads;
  }
}

/** A file that was stored, to recognize it when it is sent again. */
interface TaskUploads {
  upload_hash: string;
  document_id: string;
  stored_at: Millis;
}
