import type { Readable } from 'node:stream';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { mountGrid } from '#features/base/grids/grid-api.server.ts';
import { documentAddress } from '#features/documents/documents/addresses.ts';
import { documentById } from '#features/documents/documents/documents.server.ts';
import { eachFile } from '#features/documents/uploads/multipart.server.ts';
import { bodyOf } from '#features/documents/uploads/request-body.server.ts';
import { readUpTo } from '#platform/storage/read-up-to.server.ts';
import { invalidInput, responses } from '#platform/http/api.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { DEFAULT_LANG, languageOf, type Lang } from '#platform/text/languages.ts';
import { agencyName } from './agency-names.server.ts';
import { documentOf, listAttempts } from './attempts.server.ts';
import {
  attemptPage,
  clientAgencyPage,
  clientAgencyQuery,
  documentAnswer,
  filedAnswer,
  historyQuery,
  MAX_PDF,
  MAX_PDFS,
  type ClientAgency,
} from './clearance-certificates.ts';
import { fileCertificates, type CertificateFile } from './filing.server.ts';
import { listFollowed, type Followed } from './following.server.ts';
import { certificateGrid } from './grid.server.ts';

/* Clearance certificates (spec 2, section 7, cnd). */

export const clearanceCertificatesApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Clearance certificates'];
const path = '/api/cnd/v1';

clearanceCertificatesApi.openapi(
  createRoute({
    method: 'get',
    path: `${path}/client-agencies`,
    tags,
    summary: 'The agencies that are followed for a client, a page of them',
    description:
      '`filter` is JSON: `{"groups":[{"items":[{"by":"clientId","op":"EQ","value":"…"}]}]}`. Those that need a renewal come first.',
    request: { query: clientAgencyQuery },
    responses: responses(clientAgencyPage, 'Each with its newest certificate'),
  }),
  async (c) => {
    const { filter, startIndex, itemsPerPage } = c.req.valid('query');
    const actor = actorIn(c);
    const followed = await listFollowed(actor, filter.clientId);
    return c.json(
      {
        items: followed
          .slice(startIndex, startIndex + itemsPerPage)
          .map((each) => presented(each, languageOfActor(actor))),
        totalItems: followed.length,
      },
      200,
    );
  },
);

clearanceCertificatesApi.openapi(
  createRoute({
    method: 'get',
    path: `${path}/crawler-history`,
    tags,
    summary: 'What became of the attempts to get certificates of an agency for a client',
    description:
      '`filter` names the agency and the client: `{"groups":[{"items":[{"by":"agencyId","op":"EQ","value":"federal"},{"by":"clientId","op":"EQ","value":"…"}]}]}`.',
    request: { query: historyQuery },
    responses: responses(attemptPage, 'The newest first'),
  }),
  async (c) => {
    const { filter, expand, startIndex: start, itemsPerPage: limit } = c.req.valid('query');
    const actor = actorIn(c);
    const { items, totalItems } = await listAttempts(actor, { ...filter, start, limit });
    const followed =
      expand === undefined
        ? undefined
        : (await listFollowed(actor, filter.clientId)).find(({ agencyId }) => agencyId === filter.agencyId);
    const expanded = followed && { clientAgencyExpanded: presented(followed, languageOfActor(actor)) };
    return c.json(
      { items: items.map(({ documentId: _, ...attempt }) => ({ ...attempt, ...expanded })), totalItems },
      200,
    );
  },
);

clearanceCertificatesApi.openapi(
  createRoute({
    method: 'get',
    path: `${path}/crawler-history/{id}/document`,
    tags,
    summary: 'Where the PDF of a certificate is',
    request: { params: z.object({ id: z.string().max(60) }) },
    responses: responses(documentAnswer, 'An address of this portal, for the same session'),
  }),
  async (c) => {
    const actor = actorIn(c);
    const document = await documentById(actor, await documentOf(actor, c.req.valid('param').id));
    return c.json({ downloadUrl: documentAddress(document) }, 200);
  },
);

// Documented, but not validated by the library, which would buffer the whole body first.
clearanceCertificatesApi.openAPIRegistry.registerPath(
  createRoute({
    method: 'post',
    path: `${path}/certificates`,
    tags,
    summary: 'File certificates of the agencies of the Union',
    description:
      'One PDF (`application/pdf`) as the body, or up to 20 as multipart, of at most 5 MB each. Each is filed with the client whose CNPJ or CPF is in its text, and its agency is followed from then on. The answer has a status for each file: 201 filed, 200 known already, 422 refused, with the reason. Those of states and cities are filed on their pages, where somebody says which agency it is.',
    request: {
      body: {
        required: true,
        content: {
          'multipart/form-data': { schema: z.object({ file: z.string().meta({ format: 'binary' }) }) },
        },
      },
    },
    responses: responses(filedAnswer, 'What became of each file'),
  }),
);
clearanceCertificatesApi.post(`${path}/certificates`, async (c) => {
  const actor = actorIn(c);
  const type = c.req.header('content-type') ?? '';
  const files: CertificateFile[] = [];
  const take = async (name: string, bytes: Readable): Promise<void> => {
    if (files.length >= MAX_PDFS) throw new PortalError('TOO_LARGE', { mostFiles: MAX_PDFS });
    files.push({ name, bytes: await wholePdf(bytes) });
  };
  if (/^multipart\/form-data\s*;/i.test(type)) await eachFile(bodyOf(c), type, take);
  else if (/^application\/pdf\b/i.test(type)) await take('certificate.pdf', bodyOf(c));
  else throw new PortalError('TYPE_NOT_ALLOWED', { expected: 'application/pdf' });
  if (files.length === 0) throw new PortalError('INVALID', { file: 'NONE' });
  const items = (await fileCertificates(actor, files)).map(({ name, outcome }) => ({
    name,
    status: outcome === 'filed' ? 201 : outcome === 'known' ? 200 : 422,
    outcome,
  }));
  return c.json({ items }, 200);
});

/** A PDF in memory; TOO_LARGE. */
async function wholePdf(bytes: Readable): Promise<Buffer> {
  const whole = await readUpTo(bytes, MAX_PDF);
  if (!whole) throw new PortalError('TOO_LARGE', { mostBytes: MAX_PDF });
  return whole;
}

const languageOfActor = ({ language }: Actor): Lang => languageOf(language) ?? DEFAULT_LANG;

const presented = (followed: Followed, lang: Lang): ClientAgency => ({
  id: followed.id,
  agencyId: followed.agencyId,
  clientId: followed.clientId,
  agency: agencyName(lang, followed.agencyId),
  light: followed.light,
  certificate:
    followed.currentAttemptId === null || followed.result === ''
      ? null
      : { id: followed.currentAttemptId, result: followed.result, validUntil: followed.validUntil },
  renewBeforeDays: followed.renewBeforeDays,
});

mountGrid(clearanceCertificatesApi, certificateGrid);
