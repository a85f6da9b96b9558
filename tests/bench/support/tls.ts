import { spawnSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

/** A certificate for this machine, and the options with which a Chromium trusts it. */
export interface Certificate {
  key: Buffer;
  cert: Buffer;
  fingerprint: string;
}

export function makeCertificate(folder: string): Certificate {
  const [key, cert] = [path.join(folder, 'tls.key'), path.join(folder, 'tls.crt')];
  const made = spawnSync('openssl', [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=127.0.0.1',
    '-addext',
    'subjectAltName=IP:127.0.0.1',
    '-keyout',
    key,
    '-out',
    cert,
  ]);
  if (made.status !== 0)
    throw new Error(
      'The pages are measured behind TLS, and openssl, which makes the certificate, did not run. Install it.',
    );
  const spki = new X509Certificate(readFileSync(cert)).publicKey.export({ type: 'spki', format: 'der' });
  return {
    key: readFileSync(key),
    cert: readFileSync(cert),
    fingerprint: createHash('sha256').update(spki).digest('base64'),
  };
}

export interface Proxy {
  origin: string;
  /** The upstream address. */
  pointAt: (address: string) => void;
  close: () => void;
}

const HOP_BY_HOP = ['connection', 'keep-alive', 'transfer-encoding'];

/** A proxy with TLS and HTTP/2 in front of a program with HTTP/1.1, as in production. */
export async function startProxy({ key, cert }: Certificate): Promise<Proxy> {
  // less than a server's keep-alive timeout
  const agent = new http.Agent({ keepAlive: true, timeout: 2000 });
  let target = '';
  const server = http2.createSecureServer({ key, cert, allowHTTP1: true }, (request, response) => {
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !name.startsWith(':')),
    );
    const passed = http.request(
      target + request.url,
      {
        method: request.method,
        headers: { ...headers, host: request.authority || request.headers.host },
        agent,
      },
      (answer) => {
        const sent = Object.fromEntries(
          Object.entries(answer.headers).filter(([name]) => !HOP_BY_HOP.includes(name)),
        );
        response.writeHead(answer.statusCode ?? 502, sent as http.OutgoingHttpHeaders);
        pipeline(answer, response).catch(() => undefined); // a browser that closes early
      },
    );
    passed.on('error', () => response.writeHead(502).end());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pointAt: (address) => (target = address),
    close: () => {
      server.close();
      agent.destroy();
    },
  };
}
