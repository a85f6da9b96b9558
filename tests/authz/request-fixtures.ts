import type { ApiRoute } from '#features/base/people/people.ts';
import { API_ROUTES } from '../../src/api.server.ts';
import { filesForm } from '../support/api.ts';
import { pdf } from '../support/cast.ts';
import { pdfOf } from '../support/pdf.ts';
import type { Kind } from './world.ts';

/*
 * Request fixtures: how to make each call of the route table, with the ids it takes, their kinds, and its
 * body. The matrix derives its cells from them. `{name}` in a path is replaced by that id.
 */

export interface Sending {
  query?: Record<string, string>;
  json?: unknown;
  form?: FormData;
  /** Headers, for calls that take parameters in them. */
  headers?: Record<string, string>;
}

export interface RequestFixture {
  /** Distinguishes several fixtures of one call, such as one per kind of parent. */
  of?: string;
  /** Every id that the call takes, in path, query or body, with its kind. */
  ids: Readonly<Record<string, Kind>>;
  send?: (id: Readonly<Record<string, string>>) => Sending;
  /** Further fields of the contract that are not sent. */
  named?: readonly string[];
  /** For a list of ids: the same call with several, in this order. */
  batch?: { id: string; send: (ids: readonly string[]) => Sending };
}

let counter = 0;
/** A unique text. */
const unique = (text: string): string => `${text} ${(counter += 1)}`;

const share = (items: readonly { documentId: string; containerId: string }[]): Sending => ({
  json: {
    expirationPeriod: 'AfterOneDay',
    overrides: { subject: 'Papers', body: 'Hello' },
    recipients: [{ emailAddress: 'someone@out.example' }],
    sharedItems: items.map((item) => ({ containerType: 'Project', ...item })),
  },
});

const invitation = (clientIds: readonly string[]): Sending => ({
  json: {
    emailAddress: `${unique('guest').replace(' ', '-')}@out.example`,
    firstName: 'Gwen',
    lastName: 'Guest',
    language: 'en-us',
    clientIds,
  },
});

const placed = ({ id = '', documentId = '' }: Readonly<Record<string, string>>): object => ({
  Id: documentId,
  ContainerId: id,
  ContainerType: 'Project',
});

const folderIn = (parentType: string, kind: Kind): RequestFixture => ({
  of: `in a ${parentType}`,
  ids: { parentId: kind },
  send: ({ parentId }) => ({ json: { name: unique('Receipts'), parentId, parentType } }),
});

const filed = ({ containerId, documentId }: Readonly<Record<string, string>>): Sending => ({
  json: { documentIds: [documentId], containerId, containerType: 'Project' },
});

/** A filter of the spec, by which a list is narrowed. */
const specFilter = (values: Readonly<Record<string, string>>): string =>
  JSON.stringify({
    groups: [{ items: Object.entries(values).map(([by, value]) => ({ by, op: 'EQ', value })) }],
  });

/** A photo of one pixel. */
const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAACklEQVQImWP4DwABAQEADeY2wwAAAABJRU5ErkJggg==',
  'base64',
);

function scanForm(): FormData {
  const form = filesForm(['page.png', DOT]);
  form.append('name', unique('Scan'));
  return form;
}
const metadata = (pairs: Readonly<Record<string, string>>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',');

function storage(type: string, kind: Kind, documentKind: Kind): Record<string, readonly RequestFixture[]> {
  const base = `/api/storage/v1/${type}/{id}/documents`;
  return {
    [`get /api/storage/v1/${type}/{id}/descendants`]: [{ ids: { id: kind } }],
    [`get ${base}`]: [
      { ids: { id: kind } },
      {
        of: 'searched',
        ids: { id: kind },
        send: () => ({ query: { name: 'canary', readByClientUser: 'true', loadPermission: 'true' } }),
        named: ['after', 'from', 'orderBy', 'orderDir', 'pageSize', 'uploadedBy', 'year'],
      },
    ],
    [`post ${base}/exists`]: [{ ids: { id: kind }, send: () => ({ json: ['CANARY.pdf', 'new.pdf'] }) }],
    [`get ${base}/{documentId}`]: [{ ids: { id: kind, documentId: documentKind } }],
    [`delete ${base}/{documentId}`]: [{ ids: { id: kind, documentId: documentKind } }],
    [`post /api/storage/v1/${type}/{id}/scans`]: [
      { ids: { id: kind }, send: () => ({ form: scanForm() }), named: ['name'] },
    ],
    [`post ${base}`]: [
      {
        ids: { id: kind },
        send: () => ({
          ...(type !== 'projects' && { query: { notify: 'false' } }),
          form: filesForm([`${unique('Receipt')}.pdf`, pdf('receipt')]),
        }),
      },
    ],
  };
}

const rights = (type: string, kind: Kind): Record<string, readonly RequestFixture[]> => ({
  [`get /api/storage/v1/${type}/{id}/roles`]: [{ ids: { id: kind } }],
  [`put /api/storage/v1/${type}/{id}/roles/{contactId}`]: [
    { ids: { id: kind, contactId: 'contact' }, send: () => ({ json: { role: 'Owner' } }) },
  ],
  [`delete /api/storage/v1/${type}/{id}/roles/{contactId}`]: [{ ids: { id: kind, contactId: 'contact' } }],
  [`put /api/storage/v1/${type}/{id}/lock`]: [
    { ids: { id: kind }, send: () => ({ json: { locked: true } }) },
  ],
});

/** The check digit of a CNPJ (weights 2 to 9, from the right). */
const cnpjDigit = (digits: string): string => {
  const sum = [...digits]
    .toReversed()
    .reduce((total, digit, index) => total + Number(digit) * (2 + (index % 8)), 0);
  return String(sum % 11 < 2 ? 0 : 11 - (sum % 11));
};

/** A CNPJ that no other call of the matrix sends. */
function uniqueCnpj(): string {
  const number = `5${String((counter += 1)).padStart(11, '0')}`;
  const first = cnpjDigit(number);
  return number + first + cnpjDigit(number + first);
}

const EMPLOYEE_FIELDS = [
  'category',
  'position',
  'cbo',
  'salaryCents',
  'salaryUnit',
  'weeklyMinutes',
  'bornOn',
  'establishmentId',
  'contractEndsOn',
  'trialEndsOn',
  'endedOn',
  'endReason',
  'vacationPeriods',
  'leaves',
];

const newEmployee = () => ({
  name: 'New',
  cpf: '34127023074',
  hiredOn: '2024-02-01',
  registration: unique('R'),
});

/** The maximum number of keys; one more is refused. */
const keys = (most: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: most }, (_, i) => [`key${i}`, 'a value']));
const item = ({
  id = '',
  documentId = '',
}: Readonly<Record<string, string>>): { Id: string; ContainerId: string } => ({
  Id: documentId,
  ContainerId: id,
});

/** The options that tasks are read with. */
const READ = { data: 'true', steps: 'true', taskDetails: 'true', pageNum: '0', pageSize: '100' };

const QUESTIONNAIRE = {
  format: 1,
  key: 'papers',
  country: 'US',
  languages: ['en-us'],
  label: { 'en-us': 'Papers' },
  sections: [
    {
      key: 'papers',
      label: { 'en-us': 'Papers' },
      items: [{ kind: 'files', key: 'statements', label: { 'en-us': 'Statements' } }],
    },
  ],
};

const pageError = {
  specversion: '1.0',
  type: 'exception',
  source: '/clientcenter/en-us/documents',
  id: 'a1b2c-d3e4f',
  time: '2026-11-26T01:00:00.000Z',
  contenttype: 'application/json',
  data: { module: 'kit.js', message: 'TypeError', stack: '/_astro/kit.js:1:1' },
};

const FIXTURES: Readonly<Record<string, readonly RequestFixture[]>> = {
  'get /api/openapi.json': [{ ids: {} }],
  'get /api/docs': [{ ids: {} }],
  'post /api/logging/v1/log': [{ ids: {}, send: () => ({ json: { version: 1, items: [pageError] } }) }],
  'post /api/notifications/v1/notifications/category/CCVNEXT/type/CLIENT_CENTER_ISSUE_CONFIRMATION': [
    {
      ids: {},
      send: () => ({
        json: { recipient: 'stranger@elsewhere.example', variables: { referenceCode: 'k7m2p-9xw4t' } },
      }),
    },
  ],
  'get /api/security/v1/session': [{ ids: {} }],
  'delete /api/security/v1/session': [{ ids: {} }],
  'get /api/client-center/v1/clients/': [
    { ids: {} },
    { of: 'searching', ids: {}, send: () => ({ query: { searchTerm: 'canary', pageSize: '1000' } }) },
    {
      of: 'of a firm',
      ids: { companyId: 'firm' },
      send: ({ companyId = '' }) => ({ query: { companyId, 'show-nickname': 'true' } }),
      named: ['orderBy', 'orderDir', 'pageNum', 'searchBy'],
    },
  ],
  'get /api/client-center/v1/flags': [{ ids: {} }],
  'put /api/client-center/v1/flags/{flag}': [
    { ids: { flag: 'client' }, send: () => ({ json: { value: true } }) },
  ],
  'get /api/client-center/v1/actions': [{ ids: {} }],
  'post /api/core/v3/companies/{companyId}/clients/search': [
    {
      ids: { companyId: 'firm' },
      send: () => ({
        json: {
          expand: 'primaryContactExpanded',
          pagingDataRequest: { pageIndex: 0, itemsPerPage: 1000 },
          filterSearchSort: { orderBy: 'name', searchBy: 'name', search: 'canary' },
        },
      }),
    },
  ],
  'get /api/profile/v1/users/current': [{ ids: {} }],
  // Everybody gets a name without a canary, so that later reads contain only their own.
  'put /api/profile/v1/users/current': [
    {
      ids: {},
      send: () => ({
        json: {
          prefix: '',
          firstName: unique('Robin'),
          middleName: '',
          lastName: 'Doe',
          suffix: '',
          language: 'fr-CA',
        },
      }),
    },
  ],
  'put /api/profile/v1/users/{prismGuid}/language': [
    { ids: { prismGuid: 'user' }, send: () => ({ json: { language: 'pt-BR' } }) },
  ],
  'get /api/profile/v1/contacts': [
    {
      ids: { companyId: 'company', contactId: 'contact' },
      send: ({ companyId = '', contactId = '' }) => ({ query: { companyId, contactId } }),
    },
  ],
  'get /api/profile/v1/themes/{companyId}': [{ ids: { companyId: 'company' } }],
  'post /api/security/v1/view-as': [
    {
      ids: {},
      send: () => ({ json: { contactId: `contact_${'0'.repeat(32)}`, reason: 'They asked me to look.' } }),
    },
  ],
  'delete /api/security/v1/view-as': [{ ids: {} }],
  'post /api/staff/v1/clients': [{ ids: {}, send: () => ({ json: { name: 'New' } }) }],
  'get /api/staff/v1/clients/{id}': [{ ids: { id: 'client' } }],
  'patch /api/staff/v1/clients/{id}': [
    { ids: { id: 'client' }, send: () => ({ json: { version: 1, name: 'Changed' } }) },
  ],
  'post /api/staff/v1/clients/{id}/archive': [{ ids: { id: 'client' } }],
  'post /api/staff/v1/clients/{id}/restore': [{ ids: { id: 'client' } }],
  'get /api/staff/v1/grids/clients': [{ ids: {} }],
  'get /api/staff/v1/grids/clients/export': [{ ids: {} }],
  'get /api/staff/v1/grids/archived-clients': [{ ids: {} }],
  'get /api/staff/v1/grids/archived-clients/export': [{ ids: {} }],
  'get /api/staff/v1/grids/tasks': [{ ids: {} }],
  'get /api/staff/v1/grids/tasks/export': [{ ids: {} }],
  'get /api/staff/v1/grids/mails': [{ ids: {} }],
  'get /api/staff/v1/grids/mails/export': [{ ids: {} }],
  'get /api/staff/v1/grids/people': [{ ids: {} }],
  // not a workbook: it is compared without the times of the last visits
  'get /api/staff/v1/grids/people/export': [{ ids: {}, send: () => ({ query: { format: 'csv' } }) }],
  'get /api/staff/v1/grids/audit': [{ ids: {} }],
  'get /api/staff/v1/grids/audit/export': [{ ids: {} }],
  'post /api/security/v1/session/extend': [{ ids: {} }],
  'get /api/security/v1/long-tokens': [{ ids: {} }],
  'post /api/security/v1/long-tokens': [
    { ids: {}, send: () => ({ json: { kind: 'link' } }) },
    { of: 'for a program', ids: {}, send: () => ({ json: { kind: 'api', hours: 1 } }) },
  ],
  'delete /api/security/v1/long-tokens/{tokenId}': [{ ids: { tokenId: 'mail' } }],
  'get /api/security/v1/accounts': [{ ids: {}, send: () => ({ query: { active: 'true' } }) }],
  'post /api/security/v1/account-switch': [
    { ids: {}, send: () => ({ json: { contactId: 'contact_nobody' } }) },
  ],
  'get /api/security/v1/terms': [{ ids: {}, send: () => ({ query: { language: 'pt' } }) }],
  'post /api/security/v1/terms': [
    { ids: {}, send: () => ({ json: { version: 1, language: 'en-us', sha256: '0'.repeat(64) } }) },
  ],
  'get /api/security/v1/sessions': [{ ids: {} }],
  'get /api/notifications/v1/stream': [{ ids: {} }],
  'delete /api/security/v1/sessions': [{ ids: {} }],
  'post /api/security/v1/step-up': [
    {
      ids: {},
      send: () => ({ json: { kind: 'password', password: 'not this one' } }),
      named: ['code', 'credential'],
    },
  ],
  'post /api/security/v1/passkeys/challenge': [{ ids: {} }],
  'post /api/client-center/v1/imports': [
    {
      ids: {},
      send: () => ({ query: { kind: 'clients' }, form: filesForm(['clients.csv', Buffer.from('a\n1\n')]) }),
    },
  ],
  'post /api/client-center/v1/seals/verifications': [
    { ids: {}, send: () => ({ form: filesForm(['letter.pdf', Buffer.from('%PDF-1.7')]) }) },
  ],
  'get /api/client-center/v1/data-exports/{exportId}/file': [{ ids: { exportId: 'export' } }],
  'get /api/security/v1/invitations': [{ ids: {} }],
  'post /api/security/v1/invitations': [
    {
      ids: { clientIds: 'client' },
      send: ({ clientIds = '' }) => invitation([clientIds]),
      batch: { id: 'clientIds', send: invitation },
    },
  ],
  'delete /api/security/v1/invitations/{id}': [{ ids: { id: 'invitation' } }],
  // without a signature, whoever sends it
  'post /api/payments/v1/webhooks/{provider}': [{ ids: {}, send: () => ({ json: { id: 'evt_1' } }) }],
  'post /api/payments/v1/webhooks/stripe/{companyId}': [
    { ids: { companyId: 'company' }, send: () => ({ json: { id: 'evt_1' } }) },
  ],
  'post /api/security/v1/oidc/login': [
    {
      ids: {},
      send: () => ({ json: { lang: 'en-us', redirectUri: '/clientcenter/en-us/documents' } }),
      named: ['sp', 'type'],
    },
  ],
  'post /api/security/v1/oidc/auth-code/session': [
    { ids: {}, send: () => ({ query: { code: 'nobody-gave-it', state: 'nobody-began-it' } }) },
  ],
  'get /api/storage/v1/documents/constraints': [{ ids: {} }],
  'get /api/storage/v1/containers/documents': [
    { ids: { clientId: 'client' }, send: ({ clientId = '' }) => ({ query: { clientId } }) },
    {
      of: 'of one container',
      ids: { clientId: 'client', parentIds: 'any container' },
      send: ({ clientId = '', parentIds = '' }) => ({ query: { clientId, parentIds } }),
    },
  ],
  'get /api/storage/v1/containers/tree': [
    {
      ids: { clientId: 'client' },
      send: ({ clientId = '' }) => ({
        query: { clientId, includeOrphans: 'true', countDocuments: 'true', calculateLocks: 'true' },
      }),
    },
  ],
  'get /api/storage/v1/containers': [
    {
      of: 'of a client',
      ids: { clientId: 'client' },
      send: ({ clientId = '' }) => ({ query: { clientId, includeAssociationFields: 'true' } }),
      named: ['from', 'pageSize'],
    },
  ],
  'get /api/storage/v1/projects': [
    {
      ids: { primaryAssociationId: 'client' },
      send: ({ primaryAssociationId = '' }) => ({
        query: { primaryAssociationId, primaryAssociationType: 'Client' },
      }),
      named: ['productType'],
    },
  ],
  'post /api/storage/v1/projects': [
    {
      ids: { clientId: 'client' },
      send: ({ clientId }) => ({ json: { clientId, name: unique('Project') } }),
    },
  ],
  'put /api/storage/v1/documents/{id}/name': [
    { ids: { id: 'document in project' }, send: () => ({ json: { name: unique('Renamed') } }) },
  ],
  'put /api/storage/v1/projects/{id}/name': [
    { ids: { id: 'project' }, send: () => ({ json: { name: unique('Renamed') } }) },
  ],
  'put /api/storage/v1/folders/{id}/name': [
    { ids: { id: 'folder' }, send: () => ({ json: { name: unique('Renamed') } }) },
  ],
  'put /api/storage/v1/items/move': [
    { ids: { containerId: 'project', documentId: 'document in folder' }, send: filed },
  ],
  'post /api/storage/v1/items/copy': [
    { ids: { containerId: 'project', documentId: 'document in folder' }, send: filed },
  ],
  'delete /api/storage/v1/projects/{id}': [{ ids: { id: 'project' } }],
  'delete /api/storage/v1/folders/{id}': [{ ids: { id: 'folder' } }],
  'get /api/storage/v1/folders/trash': [
    { ids: { clientId: 'client' }, send: ({ clientId = '' }) => ({ query: { clientId } }) },
  ],
  'post /api/storage/v1/folders/{id}/restore': [{ ids: { id: 'folder' } }],
  'post /api/storage/v1/publish-batches/{id}/files': [
    { ids: { id: 'project' }, send: () => ({ form: filesForm(['file.pdf', pdf('file')]) }) },
  ],
  'post /api/storage/v1/folders': [
    folderIn('Client', 'client'),
    folderIn('Project', 'project'),
    folderIn('Folder', 'folder'),
  ],
  ...storage('clients', 'client', 'document in client'),
  ...storage('projects', 'project', 'document in project'),
  ...storage('folders', 'folder', 'document in folder'),
  'put /api/storage/v1/itemmetadata': [
    {
      ids: { id: 'project', documentId: 'document in project' },
      send: (id) => ({ json: [{ ...item(id), CustomItemMetaData: keys(20) }] }),
    },
  ],
  'post /api/storage/v1/itemmetadata/filter': [
    {
      ids: { clientId: 'client' },
      send: ({ clientId = '' }) => ({ json: { ClientId: clientId, CustomItemMetaData: keys(5) } }),
    },
  ],
  'post /api/storage/v1/itemmetadata/remove': [
    {
      ids: { id: 'project', documentId: 'document in project' },
      send: (id) => ({ json: [{ ...item(id), Keys: ['key1'] }] }),
    },
  ],
  'post /api/storage/v1/notifications/documents/upload': [
    {
      ids: { containerId: 'project', documentId: 'document in project' },
      send: ({ containerId = '', documentId = '' }) => ({
        json: { containerType: 'Project', containerId, documentIds: [documentId] },
      }),
    },
  ],
  'put /api/storage/v1/documents/read': [
    {
      ids: { documentId: 'any document' },
      send: ({ documentId = '' }) => ({ json: { documentIds: [documentId], isRead: true } }),
    },
    {
      of: 'taken back',
      ids: { documentId: 'any document' },
      send: ({ documentId = '' }) => ({ json: { documentIds: [documentId], isRead: false } }),
    },
  ],
  'get /api/core/v1/contact-address-countries': [{ ids: {} }],
  'get /api/core/v1/contact-address-state-provinces': [
    {
      ids: {},
      send: () => ({ query: { 'contactAddressCountryIdRequest.contactAddressCountryId': 'BR' } }),
    },
  ],
  'get /api/storage/v1/documents/{documentId}/pages/{page}': [
    { ids: { documentId: 'any document' }, send: () => ({ query: { width: '700' } }) },
  ],
  'get /api/client-center/v3/signing/{signingId}/pages/{page}': [
    { ids: { signingId: 'signing' }, send: () => ({ query: { width: '700' } }) },
  ],
  'post /api/client-center/v3/signing/clients/{clientId}/documents': [
    {
      ids: { clientId: 'client' },
      send: () => ({ form: filesForm([`${unique('Letter')}.pdf`, pdfOf(['Letter'])]) }),
    },
  ],
  'get /api/client-center/v3/signing/{signingId}/document': [{ ids: { signingId: 'signing' } }],
  'get /api/client-center/v3/signing/links/{token}/pages/{page}': [
    { ids: { token: 'signing link' }, send: () => ({ query: { width: '700' } }) },
  ],
  'get /api/client-center/v3/signing/links/{token}/document': [{ ids: { token: 'signing link' } }],
  'get /api/storage/v1/uploads': [{ ids: {} }],
  'post /api/storage/v1/uploads': [
    {
      ids: { containerId: 'project' },
      send: ({ containerId = '' }) => ({
        headers: {
          'upload-length': '1000',
          'upload-metadata': metadata({
            filename: `${unique('Part')}.pdf`,
            containerType: 'Project',
            containerId,
          }),
        },
      }),
    },
  ],
  'get /api/storage/v1/uploads/{uploadId}': [{ ids: { uploadId: 'upload' } }],
  'patch /api/storage/v1/uploads/{uploadId}': [
    {
      ids: { uploadId: 'upload' },
      send: () => ({ headers: { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' } }),
    },
  ],
  'delete /api/storage/v1/uploads/{uploadId}': [{ ids: { uploadId: 'upload' } }],
  'get /api/storage/v1/documents/trash': [
    { ids: { clientId: 'client' }, send: ({ clientId = '' }) => ({ query: { clientId } }), named: ['from'] },
  ],
  'post /api/storage/v1/documents/trash': [
    { ids: { id: 'project', documentId: 'document in project' }, send: (id) => ({ json: placed(id) }) },
  ],
  'put /api/storage/v1/documents/batch-delete': [
    {
      ids: { id: 'project', documentId: 'document in project' },
      send: (id) => ({ json: { docs: [placed(id)], staffUploads: [] } }),
    },
    {
      of: 'of staff uploads',
      ids: { id: 'project', documentId: 'document in project' },
      send: (id) => ({ json: { docs: [], staffUploads: [placed(id)] } }),
    },
  ],
  'post /api/storage/v1/documents/restore': [
    { ids: { documentId: 'any document' }, send: ({ documentId = '' }) => ({ json: { ids: [documentId] } }) },
  ],
  'post /api/storage/v1/documents/purge': [
    { ids: { documentId: 'any document' }, send: ({ documentId = '' }) => ({ json: { ids: [documentId] } }) },
  ],
  'post /api/storage/v1/jobs/export': [
    {
      ids: { fileIDs: 'any document' },
      send: ({ fileIDs = '' }) => ({ json: { fileIDs: [fileIDs] } }),
      batch: { id: 'fileIDs', send: (ids) => ({ json: { fileIDs: ids } }) },
    },
  ],
  'get /api/storage/v1/jobs/{jobId}': [{ ids: { jobId: 'export' } }],
  'get /api/storage/v1/jobs/{jobId}/result': [{ ids: { jobId: 'export' } }],
  'delete /api/storage/v1/jobs/{jobId}': [{ ids: { jobId: 'export' } }],
  'post /api/storage/v2/sharing/share': [
    {
      ids: { documentId: 'any document', containerId: 'any container' },
      send: ({ documentId = '', containerId = '' }) => share([{ documentId, containerId }]),
      named: ['language', 'locale', 'name', 'variables'],
      batch: {
        id: 'documentId',
        send: (ids) => share(ids.map((documentId) => ({ documentId, containerId: '-' }))),
      },
    },
  ],
  'get /api/storage/v2/sharing/shares': [
    { ids: { clientId: 'client' }, send: ({ clientId = '' }) => ({ query: { clientId } }) },
    {
      of: 'of one sender',
      ids: { clientId: 'client', senderId: 'contact' },
      send: ({ clientId = '', senderId = '' }) => ({ query: { clientId, senderId } }),
    },
  ],
  'post /api/storage/v2/sharing/shares/{shareId}/extend': [
    { ids: { shareId: 'sent share' }, send: () => ({ json: { expirationPeriod: 'AfterTwoWeeks' } }) },
  ],
  'delete /api/storage/v2/sharing/shares/{shareId}/recipients/{recipientId}': [
    { ids: { shareId: 'share', recipientId: 'recipient' } },
  ],
  'delete /api/storage/v2/sharing/shares/{shareId}': [{ ids: { shareId: 'share' } }],
  'get /api/storage/v2/sharing/links/{token}/documents/{documentId}': [
    { ids: { token: 'link', documentId: 'linked document' } },
  ],
  'post /api/client-center/v3/task-links/{token}': [
    { ids: { token: 'link' }, send: () => ({ form: filesForm(['file.pdf', 'file']) }) },
  ],
  'get /api/client-center/v3/tasks/{taskId}/proposed-files/{fileId}': [
    { ids: { taskId: 'task', fileId: 'any document' } },
  ],
  'get /api/storage/v2/sharing/links/{token}/documents/{documentId}/pages/{page}': [
    { ids: { token: 'link', documentId: 'linked document' }, send: () => ({ query: { width: '160' } }) },
  ],
  'get /api/storage/v2/sharing/links/{token}/documents.zip': [{ ids: { token: 'link' } }],
  'post /api/client-center/v3/tasks': [
    {
      ids: { clientId: 'client' },
      send: ({ clientId = '' }) => ({
        json: {
          clientId,
          type: 'misc',
          label: unique('Task'),
          order: 2,
          dueDate: '2030-01-31',
          expirationDate: '2030-02-28',
          params: { kind: 'upload', taxYear: 2029 },
          steps: [{ required: true }],
          sendNotification: false,
          tags: ['tag'],
          triggers: {},
        },
      }),
      named: ['data', 'form', 'taskGroupId'],
    },
  ],
  'post /api/client-center/v3/tasks/{taskId}/tasks': [
    {
      ids: { taskId: 'task' },
      send: () => ({ json: [{ type: 'misc', label: unique('Task') }] }),
      named: ['data', 'dueDate', 'expirationDate', 'order', 'params', 'sendNotification', 'steps', 'tags'],
    },
  ],
  'get /api/client-center/v3/task-templates': [{ ids: {} }],
  'post /api/client-center/v3/task-templates': [
    {
      ids: {},
      send: () => ({ json: { name: unique('Template'), form: QUESTIONNAIRE } }),
      named: ['dueRule', 'type', 'tag', 'folder'],
    },
  ],
  'get /api/client-center/v3/task-templates/{templateId}': [{ ids: { templateId: 'task' } }],
  'patch /api/client-center/v3/task-templates/{templateId}': [
    {
      ids: { templateId: 'task' },
      send: () => ({ json: { revision: 1, name: unique('Template') } }),
      named: ['dueRule', 'form'],
    },
  ],
  'post /api/client-center/v3/task-templates/{templateId}/publish': [
    { ids: { templateId: 'task' }, send: () => ({ json: { revision: 1 } }) },
  ],
  'delete /api/client-center/v3/task-templates/{templateId}': [{ ids: { templateId: 'task' } }],
  'get /api/client-center/v3/tasks/groups': [{ ids: {}, send: () => ({ query: READ }) }],
  'get /api/client-center/v3/tasks/groups/clients/{clientId}': [
    { ids: { clientId: 'client' }, send: () => ({ query: READ }) },
  ],
  'get /api/client-center/v3/tasks/groups/{taskGroupId}': [
    { ids: { taskGroupId: 'task group' }, send: () => ({ query: READ }) },
  ],
  'get /api/client-center/v3/tasks/clients/{clientId}': [
    { ids: { clientId: 'client' }, send: () => ({ query: READ }) },
  ],
  'delete /api/client-center/v3/tasks/clients/{clientId}': [{ ids: { clientId: 'client' } }],
  'get /api/client-center/v3/tasks/{taskId}': [{ ids: { taskId: 'task' }, send: () => ({ query: READ }) }],
  'get /api/client-center/v3/tasks/{taskId}/submission': [
    { ids: { taskId: 'task' }, send: () => ({ query: { language: 'en-us' } }) },
  ],
  'get /api/client-center/v3/tasks/{taskId}/submission.pdf': [
    { ids: { taskId: 'task' }, send: () => ({ query: { language: 'en-us' } }) },
  ],
  'patch /api/client-center/v3/tasks/{taskId}': [
    {
      ids: { taskId: 'task' },
      send: () => ({ json: { comment: unique('Comment') } }),
      named: [
        'data',
        'dueDate',
        'doesNotApplyComment',
        'expirationDate',
        'label',
        'replace',
        'status',
        'triggers',
        'version',
      ],
    },
  ],
  'patch /api/client-center/v3/tasks/{taskId}/steps/{stepNumber}': [
    {
      ids: { taskId: 'task' },
      send: () => ({ json: { comment: unique('Comment'), dnaComment: '' } }),
      named: ['data', 'replace', 'version'],
    },
  ],
  'get /api/client-center/v3/tasks/{taskId}/lookups/{list}': [{ ids: { taskId: 'task' } }],
  'post /api/client-center/v3/tasks/{taskId}/answers': [
    {
      ids: { taskId: 'task' },
      send: () => ({
        json: {
          tab: 'tabOfTheTests',
          language: 'en-us',
          changes: [{ path: '#comment', value: unique('Comment'), base: 0, sequence: 1 }],
        },
      }),
    },
  ],
  'post /api/client-center/v3/tasks/{taskId}/sections/{section}': [
    {
      ids: { taskId: 'task' },
      send: () => {
        const form = new FormData();
        form.append('request.item-1', 'An answer');
        return { form };
      },
    },
  ],
  'post /api/client-center/v3/tasks/{taskId}/versions': [
    {
      ids: { taskId: 'task' },
      send: () => {
        const form = new FormData();
        form.append('submission', '1');
        form.append('version:review.document-1', 'doc_none');
        return { form };
      },
    },
  ],
  'get /api/client-center/v3/tasks/{taskId}/messages': [{ ids: { taskId: 'task' }, named: ['from'] }],
  'post /api/client-center/v3/tasks/{taskId}/messages': [
    {
      ids: { taskId: 'task' },
      send: () => ({ json: { text: unique('A message') } }),
      named: ['isInternal'],
    },
  ],
  'delete /api/client-center/v3/tasks/{taskId}/messages/{messageId}': [
    { ids: { taskId: 'task', messageId: 'message' } },
  ],
  'delete /api/client-center/v3/tasks/{taskId}': [{ ids: { taskId: 'task' }, named: ['delete'] }],
  'get /api/boxe/v1/companies': [{ ids: {} }],
  'get /api/boxe/v1/clients/{id}': [{ ids: { id: 'client' } }],
  'post /api/boxe/v1/clients/{id}/documents': [
    {
      ids: { id: 'client' },
      send: () => ({ form: filesForm(['note.xml', Buffer.from('<a/>')]) }),
      named: ['r'],
    },
  ],
  'get /api/boxe/v1/intakes/{id}': [{ ids: { id: 'client' }, named: ['after'] }],
  'get /api/boxe/v1/documents/{id}/xml': [{ ids: { id: 'client' }, named: ['file'] }],
  'post /api/client-center/v1/receipts/list': [
    { ids: { clientId: 'client' }, send: ({ clientId = '' }) => ({ query: { clientId, lang: 'en-us' } }) },
  ],
  'get /api/boxe/v1/exports': [
    {
      ids: { clientId: 'client' },
      send: ({ clientId = '' }) => ({ query: { clientId, storage: 'nfe', month: '2026-11' } }),
    },
  ],
  'get /api/boxe/v1/grids/nfe': [{ ids: {} }],
  'get /api/boxe/v1/grids/nfe/export': [{ ids: {}, send: () => ({ query: { format: 'csv' } }) }],
  'get /api/boxe/v1/grids/nfce': [{ ids: {} }],
  'get /api/boxe/v1/grids/nfce/export': [{ ids: {}, send: () => ({ query: { format: 'csv' } }) }],
  'get /api/boxe/v1/grids/cte': [{ ids: {} }],
  'get /api/boxe/v1/grids/cte/export': [{ ids: {}, send: () => ({ query: { format: 'csv' } }) }],
  'get /api/boxe/v1/grids/cfe': [{ ids: {} }],
  'get /api/boxe/v1/grids/cfe/export': [{ ids: {}, send: () => ({ query: { format: 'csv' } }) }],
  'get /api/boxe/v1/grids/xml': [{ ids: {} }],
  'get /api/boxe/v1/grids/xml/export': [{ ids: {}, send: () => ({ query: { format: 'csv' } }) }],
  'get /api/boxe/v1/grids/all': [{ ids: {} }],
  'get /api/boxe/v1/grids/all/export': [{ ids: {}, send: () => ({ query: { format: 'csv' } }) }],
  'get /api/manifesto/v1/documents': [
    {
      ids: { clientId: 'client' },
      send: ({ clientId = '' }) => ({ query: { clientId } }),
      named: [
        'status',
        'intent',
        'from',
        'to',
        'issuer',
        'key',
        'minValue',
        'filter',
        'orderBy',
        'startIndex',
        'itemsPerPage',
      ],
    },
  ],
  'get /api/manifesto/v1/clients': [{ ids: {}, named: ['searchTerm', 'startIndex', 'itemsPerPage'] }],
  'post /api/manifesto/v1/documents/{id}/intent': [
    {
      ids: { id: 'client' },
      send: () => ({ json: { event: 'confirmed', version: 1 } }),
      named: ['justification'],
    },
  ],
  'delete /api/manifesto/v1/documents/{id}/intent': [{ ids: { id: 'client' }, named: ['version'] }],
  'post /api/manifesto/v1/intents/accept': [{ ids: {}, send: () => ({ json: { ids: ['intent_0'] } }) }],
  'post /api/manifesto/v1/intents/refuse': [
    { ids: {}, send: () => ({ json: { ids: ['intent_0'], reason: unique('A reason') } }) },
  ],
  'get /api/manifesto/v1/grids/documents': [{ ids: {} }],
  'get /api/manifesto/v1/grids/documents/export': [{ ids: {}, send: () => ({ query: { format: 'csv' } }) }],
  'get /api/manifesto/v1/grids/worklist': [{ ids: {} }],
  'get /api/manifesto/v1/grids/worklist/export': [{ ids: {}, send: () => ({ query: { format: 'csv' } }) }],
  'get /api/br-reports/v1/grids/stored-documents': [{ ids: {} }],
  'get /api/br-reports/v1/grids/stored-documents/export': [
    { ids: {}, send: () => ({ query: { format: 'csv' } }) },
  ],
  'get /api/br-news/v1/articles/shared': [
    {
      ids: { contactId: 'contact' },
      send: ({ contactId = '' }) => ({ query: { contactId } }),
      named: ['startIndex', 'itemsPerPage'],
    },
  ],
  'get /api/br-news/v1/articles/shared/{id}': [{ ids: { id: 'article' } }],
  'post /api/br-news/v1/articles/{id}/mark-as-seen': [{ ids: { id: 'article' } }],
  'get /api/tax-calendar/v1/dates': [
    {
      ids: { clientId: 'client' },
      send: ({ clientId = '' }) => ({ query: { clientId } }),
      named: ['from', 'until', 'startIndex', 'itemsPerPage'],
    },
  ],
  'put /api/tax-calendar/v1/dates/{id}/mark': [
    { ids: { id: 'tax date' }, send: () => ({ json: { mark: 'done' } }) },
  ],
  'get /api/cnd/v1/client-agencies': [
    {
      ids: { clientId: 'client' },
      send: ({ clientId = '' }) => ({ query: { filter: specFilter({ clientId }) } }),
      named: ['startIndex', 'itemsPerPage'],
    },
  ],
  'get /api/cnd/v1/crawler-history': [
    {
      ids: { clientId: 'client' },
      send: ({ clientId = '' }) => ({ query: { filter: specFilter({ agencyId: 'federal', clientId }) } }),
      named: ['expand', 'startIndex', 'itemsPerPage'],
    },
  ],
  'get /api/cnd/v1/crawler-history/{id}/document': [{ ids: { id: 'clearance' } }],
  'get /api/cnd/v1/grids/client-agencies': [{ ids: {} }],
  'get /api/cnd/v1/grids/client-agencies/export': [{ ids: {}, send: () => ({ query: { format: 'csv' } }) }],
  'get /api/br-payroll/v1/clients/{clientId}/establishments': [{ ids: { clientId: 'client' } }],
  'post /api/br-payroll/v1/clients/{clientId}/establishments': [
    {
      ids: { clientId: 'client' },
      send: () => ({ json: { cnpj: uniqueCnpj(), name: 'A branch' } }),
      named: ['stateRegistration', 'city', 'restDays'],
    },
  ],
  'patch /api/br-payroll/v1/establishments/{id}': [
    {
      ids: { id: 'establishment' },
      send: () => ({ json: { version: 1, name: 'Changed' } }),
      named: ['cnpj', 'stateRegistration', 'city', 'restDays'],
    },
  ],
  'delete /api/br-payroll/v1/establishments/{id}': [{ ids: { id: 'establishment' } }],
  'get /api/br-payroll/v1/clients/{clientId}/employees': [
    {
      ids: { clientId: 'client' },
      send: () => ({ query: { searchTerm: 'canary', filter: 'all' } }),
      named: ['startIndex', 'itemsPerPage'],
    },
  ],
  'post /api/br-payroll/v1/clients/{clientId}/employees': [
    { ids: { clientId: 'client' }, send: () => ({ json: newEmployee() }), named: EMPLOYEE_FIELDS },
  ],
  'put /api/br-payroll/v1/clients/{clientId}/employees': [
    {
      ids: { clientId: 'client' },
      send: () => ({ json: { items: [newEmployee()] } }),
      named: EMPLOYEE_FIELDS,
    },
  ],
  'get /api/br-payroll/v1/employees/tooltips': [
    { ids: { ids: 'employee' }, send: ({ ids = '' }) => ({ query: { ids } }) },
  ],
  'get /api/br-payroll/v1/employees/{id}': [{ ids: { id: 'employee' } }],
  'patch /api/br-payroll/v1/employees/{id}': [
    {
      ids: { id: 'employee' },
      send: () => ({ json: { version: 1, position: unique('Baker') } }),
      named: [...EMPLOYEE_FIELDS, 'name', 'cpf', 'hiredOn', 'registration'],
    },
  ],
  'get /api/br-payroll/v1/employees/{id}/vacation-periods': [{ ids: { id: 'employee' } }],
  'get /api/service-request/v1/forms/{type}': [{ ids: {} }],
  'get /api/service-request/v1/requests': [
    {
      ids: { clientId: 'client' },
      send: ({ clientId = '' }) => ({ query: { clientId } }),
      named: ['category', 'startIndex', 'itemsPerPage'],
    },
  ],
  'post /api/service-request/v1/requests': [
    {
      ids: { clientId: 'client' },
      send: ({ clientId = '' }) => ({ json: { clientId, type: 'generalRequests' } }),
      named: ['employeeId'],
    },
  ],
  'get /api/service-request/v1/requests/{id}': [{ ids: { id: 'service request' } }],
  'delete /api/service-request/v1/requests/{id}': [{ ids: { id: 'service request' } }],
  'post /api/service-request/v1/requests/{id}/answers': [
    {
      ids: { id: 'service request' },
      send: () => ({
        json: {
          tab: 'tabOfTheTests',
          language: 'en-us',
          changes: [{ path: 'request.subject', value: unique('Subject'), base: 0, sequence: 1 }],
        },
      }),
    },
  ],
  'get /api/service-request/v1/requests/{id}/lookups/{list}': [
    { ids: { id: 'service request' }, named: ['q', 'language'] },
  ],
  'post /api/service-request/v1/requests/{id}/sections/{section}': [
    {
      ids: { id: 'service request' },
      send: () => {
        const form = new FormData();
        form.append('request.subject', unique('Subject'));
        return { form };
      },
      named: ['r', 'upload'],
    },
  ],
  'post /api/service-request/v1/requests/{id}/check': [
    { ids: { id: 'service request' }, named: ['language'] },
  ],
  'post /api/service-request/v1/requests/{id}/submit': [
    { ids: { id: 'service request' }, send: () => ({ json: {} }), named: ['confirmations'] },
  ],
  'post /api/service-request/v1/requests/{id}/take-back': [
    { ids: { id: 'service request' }, send: () => ({ json: {} }) },
  ],
  'post /api/service-request/v1/requests/{id}/messages': [
    {
      ids: { id: 'service request' },
      send: () => ({ json: { text: unique('A message') } }),
      named: ['isInternal'],
    },
  ],
  'post /api/service-request/v1/requests/{id}/ask': [
    { ids: { id: 'service request' }, send: () => ({ json: { text: unique('A question') } }) },
  ],
  'post /api/service-request/v1/requests/{id}/return': [
    {
      ids: { id: 'service request' },
      send: () => ({ json: { marks: [{ path: 'request.subject', reason: unique('A reason') }] } }),
    },
  ],
  'post /api/service-request/v1/requests/{id}/reply': [
    {
      ids: { id: 'service request' },
      send: () => ({ json: { outcome: 'done', text: unique('A reply') } }),
      named: ['documentIds'],
    },
  ],
  'post /api/service-request/v1/requests/{id}/cancel': [
    { ids: { id: 'service request' }, send: () => ({ json: { text: unique('A reason') } }) },
  ],
  'post /api/service-request/v1/requests/{id}/reopen': [
    { ids: { id: 'service request' }, send: () => ({ json: { text: unique('A reason') } }) },
  ],
  'get /api/service-request/v1/requests/{id}/submissions/{number}': [{ ids: { id: 'service request' } }],
  'get /api/service-request/v1/requests/{id}/export': [{ ids: { id: 'service request' }, named: ['format'] }],
  'get /api/service-request/v1/settings/{type}': [{ ids: {} }],
  'put /api/service-request/v1/settings/{type}': [
    { ids: {}, send: () => ({ json: { isOpen: true, lapseDays: 30, questions: {} } }) },
  ],
  'post /api/notes/v1/comments/': [
    {
      ids: { documentId: 'any document' },
      send: ({ documentId = '' }) => ({ json: { documentId, text: unique('A remark') } }),
    },
  ],
  'post /api/notes/v1/comments/search': [
    { ids: { documentId: 'any document' }, send: ({ documentId = '' }) => ({ json: [documentId] }) },
  ],
  'get /api/notes/v1/comments': [
    {
      ids: { documentId: 'any document' },
      send: ({ documentId = '' }) => ({ query: { documentId } }),
      named: ['from'],
    },
  ],
  'delete /api/notes/v1/comments/{id}': [{ ids: { id: 'comment' } }],
  'get /api/demo/v1/mails/{id}': [{ ids: { id: 'mail' } }],
  ...rights('clients', 'client'),
  ...rights('projects', 'project'),
  ...rights('folders', 'folder'),
  'put /api/storage/v1/documents/{id}/lock': [
    { ids: { id: 'any document' }, send: () => ({ json: { locked: true } }) },
  ],
};

export const nameOf = ({ method, path }: ApiRoute): string => `${method} ${path}`;

/** The fixtures of a call. Throws, and says what to add, when there are none. */
export function fixturesFor(route: ApiRoute): readonly RequestFixture[] {
  const fixtures = FIXTURES[nameOf(route)];
  if (!fixtures) {
    throw new Error(
      `${nameOf(route)} is declared, but nothing says how to call it. Add its fixture to FIXTURES in tests/authz/request-fixtures.ts (its ids and what is sent), its rule to RULES in tests/authz/policy.ts (who may, what it changes), and, for ids of a new kind, what they name to tests/authz/world.ts.`,
    );
  }
  return fixtures;
}

/** Fixtures of calls that are not in the route table. */
export const unusedFixtures = (): string[] =>
  Object.keys(FIXTURES).filter((name) => !API_ROUTES.some((route) => nameOf(route) === name));

/** The URL of a call with these ids. */
export function addressOf(
  { path }: ApiRoute,
  id: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>> = {},
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(
      id[name] ??
        (name === 'section'
          ? 'request'
          : name === 'list'
            ? 'countries'
            : name === 'provider'
              ? 'stripe'
              : name === 'type'
                ? 'generalRequests'
                : ['page', 'stepNumber', 'number'].includes(name)
                  ? '1'
                  : ''),
    ),
  );
  const search = new URLSearchParams(query).toString();
  return search === '' ? filled : `${filled}?${search}`;
}
