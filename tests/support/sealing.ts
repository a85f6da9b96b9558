import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { PDF } from '@libpdf/core';
import { popplerProgram, qpdfProgram } from '../../scripts/services.mjs';

/* Sealed PDF files: certificates and timestamps of openssl, and the verifier of poppler. */

const run = promisify(execFile);
const folder = mkdtempSync(path.join(tmpdir(), 'portal-sealing-'));
const openssl = (...args: string[]) => run('openssl', args, { cwd: folder });

/** What poppler's verifier says about a file: it must say both. */
export async function pdfsigOf(
  bytes: Uint8Array,
): Promise<{ isValid: boolean; isTotal: boolean; says: string }> {
  const file = path.join(folder, 'sealed.pdf');
  writeFileSync(file, bytes);
  const { stdout: says } = await run(await popplerProgram('pdfsig'), ['-nocert', file]).catch(
    (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
  );
  return {
    isValid: says.includes('Signature is Valid'),
    isTotal: says.includes('- Total document signed'),
    says,
  };
}

/** What qpdf finds wrong with the structure of a file; empty for a sound one. */
export async function faultsOf(bytes: Uint8Array): Promise<string> {
  const file = path.join(folder, 'checked.pdf');
  writeFileSync(file, bytes);
  return run(await qpdfProgram(), ['--check', file]).then(
    () => '',
    (error: { stderr?: string }) => error.stderr ?? String(error),
  );
}

/** A PKCS#12 file of a firm, as OpenSSL writes it today or as it did for decades. */
export async function pkcs12(
  name: string,
  { password, key = 'ec', isLegacy = false, days = 365 }: Pkcs12Options,
): Promise<Uint8Array> {
  const kind = key === 'ec' ? ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'] : [key];
  await openssl(
    ...['req', '-x509', '-newkey', ...kind, '-nodes', '-keyout', 'key.pem', '-out', 'certificate.pem'],
    ...['-subj', `/CN=${name}`, '-days', String(days), '-addext', 'basicConstraints=critical,CA:FALSE'],
  );
  await openssl(
    ...['pkcs12', '-export', '-inkey', 'key.pem', '-in', 'certificate.pem', '-out', 'key.p12'],
    ...['-passout', `pass:${password}`, ...(isLegacy ? ['-legacy'] : [])],
  );
  return readFileSync(path.join(folder, 'key.p12'));
}

interface Pkcs12Options {
  password: string;
  key?: 'ec' | 'rsa:3072' | 'rsa:1024';
  isLegacy?: boolean;
  days?: number;
}

export const AUTHORITY = 'Test Timestamps';

/** A timestamp authority on this machine: `openssl ts` behind HTTP. */
export async function startTimestamps() {
  await openssl(
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'tsa.pem', '-out', 'tsa-certificate.pem'],
    ...['-subj', `/CN=${AUTHORITY}`, '-days', '30', '-addext', 'extendedKeyUsage=critical,timeStamping'],
  );
  writeFileSync(path.join(folder, 'serial'), '01\n');
  writeFileSync(
    path.join(folder, 'tsa.cnf'),
    `[tsa]
default_tsa = authority
[authority]
serial = ${path.join(folder, 'serial')}
signer_cert = ${path.join(folder, 'tsa-certificate.pem')}
signer_key = ${path.join(folder, 'tsa.pem')}
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
`,
  );
  /** Answers every request with the answer to this one. */
  const state: { replayed?: Buffer; requests: number } = { requests: 0 };
  const answer = async (request: Buffer): Promise<Buffer> => {
    writeFileSync(path.join(folder, 'query.tsq'), request);
    await openssl('ts', '-reply', '-config', 'tsa.cnf', '-queryfile', 'query.tsq', '-out', 'reply.tsr');
    return readFileSync(path.join(folder, 'reply.tsr'));
  };
  const server = createServer((request, response) => {
    buffer(request)
      .then(async (body) => {
        state.requests += 1;
        response.setHeader('Content-Type', 'application/timestamp-reply');
        response.end(state.replayed ?? (await answer(body)));
      })
      .catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const replay = async (): Promise<void> => {
    state.replayed = readFileSync(path.join(folder, 'reply.tsr'));
  };
  return {
    url: `http://127.0.0.1:${port}/`,
    state,
    replay,
    stop: () => new Promise<void>((done) => server.close(() => done())),
  };
}

/** A PDF with a line of text on each page. */
export async function pdfOfPages(
  count: number,
  page: { size?: 'a4' | 'letter'; rotate?: number } = {},
): Promise<Uint8Array> {
  const pdf = PDF.create();
  for (let number = 1; number <= count; number += 1)
    pdf.addPage({ size: 'a4', ...page }).drawText(`Page ${number}`, { x: 72, y: 700, size: 12 });
  return pdf.save();
}

/** Numbers from 0 to `below`, the same ones in every run. */
export function seededRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A copy with one bit changed. */
export function flipped(bytes: Uint8Array, position: number, bit: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[position] = (copy[position] ?? 0) ^ (1 << bit);
  return copy;
}
