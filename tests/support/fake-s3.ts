import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/* An in-memory S3 server over HTTP with fault injection. */

/** A fault for a request. Those with `after` execute the request, and then lose or falsify the response. */
export type S3Fault =
  | 'none'
  | '500'
  | 'slow-down'
  | 'reset'
  | 'reset-after'
  | 'silence'
  | 'slow'
  | 'truncated'
  | 'stalled-body'
  | 'damaged'
  | 'wrong-size-after'
  | 'missing-after'
  | '200-with-error'
  | '403'
  | 'no-bucket';

export interface S3Request {
  method: string;
  key: string;
  /** The S3 API action. */
  action:
    | 'PutObject'
    | 'GetObject'
    | 'HeadObject'
    | 'DeleteObject'
    | 'ListObjects'
    | 'CreateUpload'
    | 'UploadPart'
    | 'CompleteUpload'
    | 'AbortUpload'
    | 'ListUploads';
}

interface StoredObject {
  bytes: Buffer;
  modifiedAt: number;
  hiddenOnce?: boolean;
}

export async function openFakeS3(port = 0) {
  const objects = new Map<string, StoredObject>();
  const uploads = new Map<string, { key: string; parts: Map<number, Buffer>; initiated: number }>();
  const requests: (S3Request & { fault: S3Fault })[] = [];
  const control = { faultOf: (() => 'none') as (request: S3Request) => S3Fault };

  const server = http.createServer((request, response) => {
    answer(request, response).catch(() => response.destroy()); // the client disconnected
  });

  async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://s3');
    const [, , ...rest] = url.pathname.split('/');
    const key = rest.map(decodeURIComponent).join('/');
    const call: S3Request = {
      method: request.method ?? '',
      key,
      action: actionOf(request.method ?? '', key, url.searchParams),
    };
    const fault = control.faultOf(call);
    requests.push({ ...call, fault });
    const sent = await buffer(request);
    const signed =
      /^AWS4-HMAC-SHA256 Credential=key\/\d{8}\/us-east-1\/s3\/aws4_request, SignedHeaders=\S+, Signature=[0-9a-f]{64}$/.test(
        request.headers.authorization ?? '',
      );
    if (!signed || fault === '403') return refuse(response, 403, 'AccessDenied');
    if (fault === 'no-bucket') return refuse(response, 404, 'NoSuchBucket');
    if (fault === '500') return refuse(response, 500, 'InternalError');
    if (fault === 'slow-down') return refuse(response, 503, 'SlowDown');
    if (fault === 'reset') return void request.socket.destroy();
    if (fault === 'silence') return;
    if (fault === 'slow') await turns(20);
    const came = fault === 'damaged' ? sent.subarray(0, sent.length / 2) : sent;
    const digest = request.headers['content-md5'];
    if (digest !== undefined && createHash('md5').update(came).digest('base64') !== digest)
      return refuse(response, 400, 'BadDigest');
    if (fault === 'reset-after') response = swallowed(request);
    DOES[call.action](key, url.searchParams, came, response, request, fault);
  }

  const DOES: Record<
    S3Request['action'],
    (
      key: string,
      query: URLSearchParams,
      sent: Buffer,
      response: http.ServerResponse,
      request: http.IncomingMessage,
      fault: S3Fault,
    ) => void
  > = {
    PutObject(key, _, sent, response, __, fault) {
      objects.set(key, {
        bytes: fault === 'wrong-size-after' ? sent.subarray(0, -1) : sent,
        modifiedAt: Date.now(),
        hiddenOnce: fault === 'missing-after',
      });
      response.writeHead(200, { ETag: `"${md5(sent)}"` }).end();
    },
    HeadObject(key, _, __, response) {
      const found = objects.get(key);
      const hidden = found?.hiddenOnce;
      if (found) found.hiddenOnce = false;
      if (!found || hidden) return void response.writeHead(404).end();
      response.writeHead(200, { 'Content-Length': found.bytes.length }).end();
    },
    GetObject(key, _, __, response, request, fault) {
      const found = objects.get(key);
      if (!found) return refuse(response, 404, 'NoSuchKey');
      const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
      const bytes = found.bytes.subarray(Number(from), to === '' ? undefined : Number(to) + 1);
      response.writeHead(request.headers.range === undefined ? 200 : 206, {
        'Content-Length': bytes.length,
        'Content-Range': `bytes ${from}-${to}/${found.bytes.length}`,
      });
      if (fault !== 'truncated' && fault !== 'stalled-body') return void response.end(bytes);
      response.write(bytes.subarray(0, bytes.length / 2), () => {
        if (fault === 'truncated') request.socket.destroy();
      });
    },
    DeleteObject(key, _, __, response) {
      objects.delete(key);
      response.writeHead(204).end();
    },
    ListObjects(_, query, __, response) {
      const prefix = query.get('prefix') ?? '';
      const most = Number(query.get('max-keys') ?? 1000);
      const names = [...objects.keys()]
        .filter((name) => name.startsWith(prefix) && name > (query.get('continuation-token') ?? ''))
        .toSorted();
      const page = names.slice(0, Math.min(most, 1000));
      const contents = page.map(
        (name) =>
          `<Contents><Key>${name}</Key><Size>${objects.get(name)?.bytes.length}</Size><LastModified>${new Date(objects.get(name)?.modifiedAt ?? 0).toISOString()}</LastModified></Contents>`,
      );
      const more =
        names.length > page.length
          ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${page.at(-1)}</NextContinuationToken>`
          : '<IsTruncated>false</IsTruncated>';
      xml(response, `<ListBucketResult>${contents.join('')}${more}</ListBucketResult>`);
    },
    CreateUpload(key, _, __, response) {
      const uploadId = randomUUID();
      uploads.set(uploadId, { key, parts: new Map(), initiated: Date.now() });
      xml(
        response,
        `<InitiateMultipartUploadResult><Key>${key}</Key><UploadId>${uploadId}</UploadId></InitiateMultipartUploadResult>`,
      );
    },
    UploadPart(_, query, sent, response) {
      const upload = uploads.get(query.get('uploadId') ?? '');
      if (!upload) return refuse(response, 404, 'NoSuchUpload');
      upload.parts.set(Number(query.get('partNumber')), sent);
      response.writeHead(200, { ETag: `"${md5(sent)}"` }).end();
    },
    CompleteUpload(key, query, sent, response, __, fault) {
      const uploadId = query.get('uploadId') ?? '';
      const upload = uploads.get(uploadId);
      if (!upload) return refuse(response, 404, 'NoSuchUpload');
      if (fault === '200-with-error')
        return xml(response, '<Error><Code>InternalError</Code><Message>Try again</Message></Error>');
      const named = [...sent.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(
        (match) => upload.parts.get(Number(match[1])) ?? Buffer.alloc(0),
      );
      const whole = Buffer.concat(named);
      objects.set(key, {
        bytes: fault === 'wrong-size-after' ? whole.subarray(0, -1) : whole,
        modifiedAt: Date.now(),
        hiddenOnce: fault === 'missing-after',
      });
      uploads.delete(uploadId);
      xml(
        response,
        `<CompleteMultipartUploadResult><Key>${key}</Key><ETag>"x"</ETag></CompleteMultipartUploadResult>`,
      );
    },
    AbortUpload(_, query, __, response) {
      if (!uploads.delete(query.get('uploadId') ?? '')) return refuse(response, 404, 'NoSuchUpload');
      response.writeHead(204).end();
    },
    ListUploads(_, query, __, response) {
      const prefix = query.get('prefix') ?? '';
      const found = [...uploads]
        .filter(([, { key }]) => key.startsWith(prefix))
        .map(
          ([id, { key, initiated }]) =>
            `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${new Date(initiated).toISOString()}</Initiated></Upload>`,
        );
      xml(
        response,
        `<ListMultipartUploadsResult><Bucket>b</Bucket>${found.join('')}</ListMultipartUploadsResult>`,
      );
    },
  };

  const listening = server.listen(port, '127.0.0.1');
  await once(listening, 'listening');
  const address = server.address() as AddressInfo;
  return {
    url: `s3+http://key:secret@127.0.0.1:${address.port}/bucket/portal`,
    port: address.port,
    objects,
    uploads,
    requests,
    control,
    /** Stops listening but keeps its objects; `reopen` starts it again on the same port. */
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    reopen: async () => {
      await once(server.listen(address.port, '127.0.0.1'), 'listening');
    },
  };
}

export type FakeS3 = Awaited<ReturnType<typeof openFakeS3>>;

function actionOf(method: string, key: string, query: URLSearchParams): S3Request['action'] {
  if (key === '') return query.has('uploads') ? 'ListUploads' : 'ListObjects';
  if (query.has('uploads')) return 'CreateUpload';
  if (query.has('uploadId'))
    return (
      ({ PUT: 'UploadPart', POST: 'CompleteUpload', DELETE: 'AbortUpload' } as const)[method] ?? 'UploadPart'
    );
  return (
    ({ PUT: 'PutObject', GET: 'GetObject', HEAD: 'HeadObject', DELETE: 'DeleteObject' } as const)[method] ??
    'GetObject'
  );
}

const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');

/** A response that is discarded: the connection breaks instead. */
function swallowed(request: http.IncomingMessage): http.ServerResponse {
  const nobody = new http.ServerResponse(request);
  request.socket.destroy();
  return nobody;
}

const xml = (response: http.ServerResponse, body: string): void =>
  void response
    .writeHead(200, { 'Content-Type': 'application/xml' })
    .end(`<?xml version="1.0" encoding="UTF-8"?>\n${body}`);

const refuse = (response: http.ServerResponse, status: number, code: string): void =>
  void response
    .writeHead(status, { 'Content-Type': 'application/xml' })
    .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`);

/** Waits for a number of event loop turns. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await new Promise((resolve) => setImmediate(resolve));
}
