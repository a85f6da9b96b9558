import { createDecipheriv, createECDH, hkdfSync, randomBytes, type ECDH } from 'node:crypto';
import http, { type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/*
 * A push service on this machine, and browsers that can read what it gets: written from RFC 8188 and RFC 8291 as the receiving
 * side, apart from the code of the portal.
 */

/** Decrypts the body of a push message with the key pair and the secret of a browser. Throws if it is for another one. */
export function decryptPush(body: Buffer, browser: ECDH, auth: Buffer): string {
  const salt = body.subarray(0, 16);
  const recordSize = body.readUInt32BE(16);
  const idLength = body.readUInt8(20);
  const sender = body.subarray(21, 21 + idLength);
  const record = body.subarray(21 + idLength);
  if (record.length > recordSize) throw new Error('more than one record');
  const extract = (key: Buffer, by: Buffer, info: Buffer, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', key, by, info, length));
  const ikm = extract(
    browser.computeSecret(sender),
    auth,
    Buffer.concat([Buffer.from('WebPush: info\0'), browser.getPublicKey(), sender]),
    32,
  );
  const decipher = createDecipheriv(
    'aes-128-gcm',
    extract(ikm, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16),
    extract(ikm, salt, Buffer.from('Content-Encoding: nonce\0'), 12),
  );
  decipher.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  const end = padded.lastIndexOf(2);
  if (end === -1 || padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('no last record');
  return padded.subarray(0, end).toString('utf8');
}

/** What a push service got. */
interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** What it answers: a status, maybe with headers; `hang` for no answer at all. */
type Reply = { status: number; headers?: Record<string, string> } | 'hang';

export interface PushService {
  origin: string;
  received: Received[];
  /** What it answers from now on. */
  reply: (reply: Reply) => void;
  /** A browser that has subscribed at it. */
  browser: () => Browser;
  stop: () => Promise<void>;
}

export interface Browser {
  /** As `PushSubscription.toJSON()` has it. */
  subscription: { endpoint: string; keys: { p256dh: string; auth: string } };
  /** What it was sent, decrypted. */
  messages: () => unknown[];
}

export async function startPushService(): Promise<PushService> {
  const received: Received[] = [];
  let reply: Reply = { status: 201 };
  let browsers = 0;
  const server = http.createServer((request, response) => {
    void buffer(request).then((body) => {
      received.push({ path: request.url ?? '', headers: request.headers, body });
      if (reply !== 'hang') response.writeHead(reply.status, reply.headers).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    received,
    reply: (next) => void (reply = next),
    browser: () => {
      const pair = createECDH('prime256v1');
      const auth = randomBytes(16);
      const path = `/send/${(browsers += 1)}-${randomBytes(8).toString('hex')}`;
      return {
        subscription: {
          endpoint: origin + path,
          keys: { p256dh: pair.generateKeys('base64url'), auth: auth.toString('base64url') },
        },
        messages: () =>
          received
            .filter((one) => one.path === path)
            .map(({ body }) => JSON.parse(decryptPush(body, pair, auth)) as unknown),
      };
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
