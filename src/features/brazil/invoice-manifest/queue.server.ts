import { taxAuthority } from '#features/brazil/tax-authority/current.server.ts';
import { enqueue } from '#platform/jobs/jobs.server.ts';
import { now } from '#platform/runtime/clock.server.ts';

/* The jobs that talk to the tax authority. Each may run again at any time: what they did is in their rows. */

/** Stands for the client's own CPF, which is not repeated where other clients have a CNPJ. */
export const OWN_CPF = 'cpf';

export const MANIFEST_SEND = 'manifest-send';
export const MANIFEST_ASK = 'manifest-ask';

/** Sends what an accepted intent says, or goes on with it at a time, if there is an authority to send it to. */
export async function enqueueSending(companyId: string, intentId: string, at = now()): Promise<void> {
  if (!taxAuthority()) return;
  await enqueue(MANIFEST_SEND, { intentId }, `${MANIFEST_SEND}:${intentId}:${at}`, companyId, at);
}

/** Asks for the invoices of a CNPJ of a client, or of its CPF: {@link OWN_CPF}. */
export const enqueueAsking = (
  companyId: string,
  { clientId, cnpj, at }: { clientId: string; cnpj: string; at: number },
): Promise<void> =>
  enqueue(MANIFEST_ASK, { clientId, cnpj }, `${MANIFEST_ASK}:${clientId}:${cnpj}:${at}`, companyId);
