import { db } from '#platform/database.server.ts';
import { brokenEvidence } from './evidence.server.ts';

/** Checks that the evidence of each request is complete and unchanged. */
export async function verifySigning(): Promise<string[]> {
  const rows = await db().selectFrom('sign_documents').select('signing_id').orderBy('signing_id').execute();
  const faults: string[] = [];
  for (const { signing_id: id } of rows) {
    const broken = await brokenEvidence(id);
    if (broken !== undefined) faults.push(`The evidence of ${id} is broken at entry ${broken}.`);
  }
  return faults;
}
