import { HTTPError } from 'ky';
import { http } from '#platform/http/http.ts';
import type { ExportJob } from './downloads.ts';

const JOBS = '/api/storage/v1/jobs';

/** POST jobs/export: returns the id of the job, or undefined if it is refused. */
export async function startExport(fileIDs: readonly string[]): Promise<string | undefined> {
  try {
    return (await http.post(`${JOBS}/export`, { json: { fileIDs }, retry: 0 }).json<{ data: string }>()).data;
  } catch (error) {
    if (error instanceof HTTPError) return undefined;
    throw error;
  }
}

/** Polls the progress of a job. Polling does not keep a session alive (threat-model.md T23). */
export const exportState = async (jobId: string): Promise<ExportJob> =>
  (await http.get(`${JOBS}/${jobId}`, { headers: { 'X-Background': '1' } }).json<{ data: ExportJob }>()).data;

/** DELETE: cancels the job. */
export const cancelExport = async (jobId: string): Promise<void> =>
  void (await http.delete(`${JOBS}/${jobId}`, { retry: 0 }));

/**
 * Checks whether the archive can be downloaded right now; if a document has been removed since, the job
 * reports it from then on.
 */
export const canFetch = async (address: string): Promise<boolean> =>
  (await http.head(address, { retry: 0, throwHttpErrors: false })).ok;
